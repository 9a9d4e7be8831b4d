#!/bin/sh
# ireneo --version, and its report for machines: what the program is, what it was built with, what it computes with.
. "$(dirname "$0")/../support/cli.sh"
expect 0 '^ireneo [0-9]*\.[0-9]*\.[0-9]*$' --version
version=$(cut -d' ' -f2 out)
run 0 --version --json
is version "$version"
[ "$(sed -n 's/.*define IRENEO_VERSION "\(.*\)"/\1/p' "$root/include/ireneo/common.h")" = "$version" ] ||
    fault "the header is not of version $version"
type=$(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$(dirname "$ireneo")/CMakeCache.txt" 2>/dev/null)
[ -z "$type" ] || holds "the type of the build" "r['build']['type'] == '$type'"
holds "the compiler" "r['build']['compiler'].split()[0] in ('gcc', 'clang') and len(r['build']['compiler'].split()) > 1"
holds "keys" "set(r) == {'version', 'build', 'blas', 'processor', 'threads', 'mpi'}"
holds "keys of blas" "set(r['blas']) == {'name', 'version', 'file', 'threads'}"

# ---- BLAS: the file is one that the program loads; a library with threads obeys its own variable
library=$(report "r['blas']['file']")
[ -f "$library" ] || fault "there is no $library"
loaded=$(ldd "$ireneo" | sed -n 's/.* => \([^ ]*\) .*/\1/p' | xargs -n 1 readlink -f)
echo "$loaded" | grep -qxF "$library" || [ "$library" = "$(readlink -f "$ireneo")" ] || fault "the program does not load $library"
name=$(report "r['blas']['name']")
case $name in
OpenBLAS) variable=OPENBLAS_NUM_THREADS ;;
BLIS) variable=BLIS_NUM_THREADS ;;
MKL) variable=MKL_NUM_THREADS ;;
*) variable= ;;
esac
if [ -n "$variable" ]; then
    case $(basename "$library") in *blas* | *blis* | *mkl*) ;; *) fault "$name in $library" ;; esac
    export "$variable=1"
    run 0 --version --json
    holds "$variable=1" "r['blas']['threads'] == 1"
    unset "$variable"
else
    holds "threads of a BLAS without control" "r['blas']['threads'] == 0"
fi

# ---- the processor's path is the one in use
for path in portable avx2; do
    if IRENEO_PROCESSOR=$path "$ireneo" --version --json >out 2>err; then is processor $path; fi
done
IRENEO_PROCESSOR=abacus "$ireneo" --version --json >out 2>err
[ $? -eq 2 ] && [ ! -s out ] || fault "an unknown IRENEO_PROCESSOR: $(cat out err)"
for words in "capacity --dim 20" "dense capacity --dim 20" "attention layer" "sample --dim 3 --facts 2 -o never" "check no no no"; do
    # shellcheck disable=SC2086
    IRENEO_PROCESSOR=abacus "$ireneo" $words >out 2>err
    [ $? -eq 2 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "none of portable" err || fault "an unknown IRENEO_PROCESSOR: $words: $(cat out err)"
done
[ "$("$ireneo" --version)" = "ireneo $version" ] || fault "--version alone"

# ---- bad words
refuse 2 "unknown option --jsno" --version --jsno
refuse 2 "one argument too many" --version 3
expect 0 "usage: ireneo --version" --version --help
finish "version: the report is whole"
