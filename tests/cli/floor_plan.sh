#!/bin/sh
# The floor plan, read off the #include lines: which folder may use which. Needs the sources only, not the program.
set -eu
root=${SOURCES:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$root"
broken=0

# includes FILE...: "FILE HEADER" for every project header that one of the files includes.
includes() {
    grep -H '^#include "' "$@" | sed 's/:#include "\([^"]*\)".*/ \1/'
}

complain() {
    echo "floor plan: $*" >&2
    broken=1
}

# allow NAME PATTERN FILE...: every header that the files include must match the pattern.
allow() {
    name=$1 pattern=$2
    shift 2
    [ -e "$1" ] || { complain "$name: there is no $1"; return 0; }
    found=$(includes "$@" | grep -vE " ($pattern)" || true)
    [ -z "$found" ] || complain "$name may only include $pattern:
$found"
}

files() { # files FOLDER: its sources, at any depth
    find "$@" -name '*.[ch]' | sort
}

# ---- the house: base knows no room, a room knows base and itself, cli knows base and the laboratory ----
public='ireneo\.h|ireneo/'
# shellcheck disable=SC2046
{
    allow base "$public|base/" $(files src/base)
    for room in linear dense attention; do allow "$room" "$public|base/|$room/" $(files src/$room); done
    allow lab "$public|base/|linear/|dense/|attention/|lab/" $(files src/lab)
    allow cli "$public|base/|lab/|[a-z_]*\.h" $(files cli)
    allow "the public headers" "$public" $(files include)
}

# ---- the linear room: a folder, and the folders that it may use besides base and itself ----
while read -r folder below; do
    [ -n "$folder" ] || continue
    pattern="$public|base/|linear/$folder/"
    for other in $below; do pattern="$pattern|linear/$other/"; done
    # shellcheck disable=SC2046
    allow "linear/$folder" "$pattern" $(files "src/linear/$folder")
done <<'TABLE'
facts
law
kernels
memory       facts
problem      facts kernels
scan         facts kernels memory problem
certificate  facts kernels problem
solver       facts law kernels memory problem scan certificate
margin       kernels memory problem scan certificate
training     facts kernels memory solver
TABLE
for folder in src/linear/*/; do
    name=$(basename "$folder")
    sed -n '/^TABLE/q; /TABLE/,$p' "$0" | grep -q "^$name\b" || complain "src/linear/$name is not in the table"
done

# ---- two promises of their own ----
# The judge of certificates shares nothing with the solver. It does use the one Cholesky factorisation, whose result it
# does not trust (definite.c).
allow "the judge" "$public|base/|linear/facts/|linear/certificate/(verify|verify_rational|verify_cholesky|scaled_pairs|definite|cholesky)\.h" \
    src/linear/certificate/verify.c src/linear/certificate/verify_rational.c src/linear/certificate/verify_cholesky.c \
    src/linear/certificate/scaled_pairs.c src/linear/certificate/definite.c src/linear/certificate/cholesky.c
# Certificates take a problem, a working set, a matrix and a margin; they do not know how those came about.
if grep -n 'minimise\.h' src/linear/certificate/*.[ch] /dev/null; then complain "certificates know the minimiser"; fi

# ---- a header of the linear room has a file of its name beside it ----
for header in src/linear/*/*.h; do
    [ -e "${header%.h}.c" ] || complain "$header has no ${header%.h}.c"
done

exit $broken
