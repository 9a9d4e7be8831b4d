#!/bin/sh
# scripts/build: quiet when all is well; a source that does not compile, link or configure is shown and ends it, also when
# an older program lies in the build folder.
set -u
build=$(cd "$(dirname "$0")/../.." && pwd)/scripts/build
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 4
faults=0
fault() {
    echo "FAULT: $*"
    faults=$((faults + 1))
}

mkdir source
cat >source/CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.20)
project(two LANGUAGES C)
add_executable(two one.c two.c)
TEXT
echo 'int two(void); int main(void) { return two(); }' >source/one.c
echo 'int two(void) { return 0; }' >source/two.c

"$build" source made >out 2>&1 || fault "a good source: exit $?: $(cat out)"
[ ! -s out ] || fault "a good source: not quiet: $(cat out)"
made/two || fault "the program was not made"

echo 'int two(void) { return nought; }' >source/two.c
"$build" source made >out 2>err && fault "a source that does not compile ends with exit 0"
[ ! -s out ] || fault "errors on stdout: $(cat out)"
grep -q "two.c:1.*error.*nought" err || fault "the error is not shown: $(cat err)"
grep -q "made/build.log" err || fault "the log is not named: $(cat err)"
grep -q "^\[\|^g*make" err && fault "noise of make: $(cat err)"

echo 'int three(void) { return 0; }' >source/two.c
"$build" source made >out 2>err && fault "a missing function ends with exit 0"
grep -q "two" err || fault "the linker's words are not shown: $(cat err)"

echo 'nonsense(' >source/CMakeLists.txt
"$build" source made >out 2>err && fault "a bad CMakeLists.txt ends with exit 0"
grep -q "CMakeLists.txt" err || fault "cmake's words are not shown: $(cat err)"

[ "$faults" -eq 0 ] && echo "scripts/build: as it should be"
exit "$((faults > 0))"
