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
    allow cli "$public|base/|lab/|manual/|[a-z_]*\.h" $(files cli)
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
moments
sampling     facts
memory       facts
problem      facts kernels
scan         facts kernels memory problem
certificate  facts kernels problem
edit         facts kernels memory scan certificate
solver       edit facts law kernels memory problem scan certificate
margin       facts kernels memory problem scan certificate
layer        law moments
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

# ---- threads are base/pool.c's: the compiler would drop any other pragma of OpenMP without a word ----
if grep -rnE '#pragma omp +[a-z]' src cli bench tests --include='*.[ch]' | grep -vE '#pragma omp (simd|declare simd)'; then
    complain "a loop over threads that is not the pool's"
fi

# ---- the theory: what a browser can run. No BLAS, no threads of its own, no file, no random number ----
# theory.cmake is the list; the files see of base only what is on it, and the three headers of what they ask the machine.
listed=$(sed -n 's/^foreach(piece \(.*\))$/\1/p' src/theory.cmake)
left_out=$(sed -n 's/.*EXCLUDE REGEX "\/(\([a-z_|]*\)).*/\1/p' src/theory.cmake)
[ -n "$listed" ] && [ -n "$left_out" ] || complain "src/theory.cmake cannot be read"
theory=$(find src/linear/law src/dense/theory src/attention/theory -name '*.c' | grep -vE "/($left_out)\.c$")
for piece in $listed; do theory="$theory src/base/$piece.c"; done
pieces=$(echo "$listed" | tr ' ' '|')
# shellcheck disable=SC2086
{
    allow "the theory" "$public|base/($pieces|vectorised|threads|parallel|progress|clock)\.h|linear/law/|dense/theory/|attention/theory/" \
        $theory
    grep -nE '^#include <(cblas|lapacke|omp|stdio|unistd|sys/|pthread|Random123)' $theory | grep -v '^src/base/error\.c:.*stdio' &&
        complain "the theory includes more than mathematics" # but for the sentence of an error, which is printed into a buffer
    grep -nE '"dense/theory/(overlap_law|far_field)\.h"' $theory && complain "the theory uses what it leaves out"
    true
}

# The page adds a door, curves and one thread to the theory and the commands; no other room, and no mathematics in JavaScript
# but what an axis or an angle in degrees needs.
# shellcheck disable=SC2046
allow "the page" "$public|base/(ram|threads|parallel)\.h|linear/law/|attention/theory/|lab/sweep/grid\.h|[a-z_]*\.h" $(files web/wasm)
if grep -nE 'Math\.(sin|cos|tan|asin|acos|atan|sinh|cosh|tanh|erf|cbrt|expm1|log1p|log2|hypot)' web/src/*.js; then
    complain "a formula in JavaScript"
fi

# ---- a header of the linear room has a file of its name beside it ----
for header in src/linear/*/*.h; do
    [ -e "${header%.h}.c" ] || complain "$header has no ${header%.h}.c"
done

exit $broken
