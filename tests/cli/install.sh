#!/bin/sh
# What users of the installed library get: headers, libraries, pkg-config file, CMake package, manual pages, completion, program.
# Everything is installed into one folder, moved to another, and used from there.
. "$(dirname "$0")/../support/cli.sh"
program=$ireneo source=$root
build=$(dirname "$program")
set -e

# Every step needs the one before it.
fail() {
    echo "FAULT: $*"
    exit 1
}

# A library built with sanitizers needs a consumer built with them; an instrumented one stands for the rest.
sanitize=
if grep -q '^IRENEO_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then sanitize=-fsanitize=address,undefined; fi

DESTDIR='' cmake --install "$build" --prefix "$folder/first" >"$folder/log" 2>&1 || {
    cat "$folder/log"
    fail "cmake --install"
}
mv "$folder/first" "$folder/moved place"
prefix="$folder/moved place"
libraries=$(dirname "$(find "$prefix" -name libireneo.a)")
library=$libraries/libireneo.so
[ -f "$library" ] || fail "libireneo.so was not installed beside libireneo.a"
[ -f "$prefix/include/ireneo.h" ] || fail "no header"
for file in man/man1/ireneo.1 man/man1/ireneo-store.1 man/man1/ireneo-dense-phases.1 zsh/site-functions/_ireneo \
    bash-completion/completions/ireneo fish/vendor_completions.d/ireneo.fish; do
    [ -s "$prefix/share/$file" ] || fail "no $file"
done
[ -f "$prefix/share/ireneo/figures/style.gp" ] || fail "no gnuplot scripts"

# --- symbols: nothing but ireneo_ leaves the shared library, and all that the header promises does
nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//' | grep -v '^IRENEO_[0-9]*$' | sort -u >"$folder/exported"
[ -s "$folder/exported" ] || fail "the shared library exports nothing"
if grep -v '^ireneo_' "$folder/exported" | grep -v '^__\(asan\|ubsan\|odr_asan\)' >"$folder/strangers"; then
    fail "symbols that are not ours: $(tr '\n' ' ' <"$folder/strangers")"
fi
cat "$prefix"/include/ireneo/*.h | tr '\n' ' ' | sed 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g' | tr ';' '\n' |
    sed -n 's/.*IRENEO_API[^(]*[ *]\(ireneo_[a-z0-9_]*\)(.*/\1/p' | sort >"$folder/promised"
[ "$(wc -l <"$folder/promised")" -gt 30 ] || fail "the header could not be read"
comm -23 "$folder/promised" "$folder/exported" >"$folder/missing"
[ ! -s "$folder/missing" ] || fail "declared but not exported: $(tr '\n' ' ' <"$folder/missing")"
comm -13 "$folder/promised" "$folder/exported" | grep '^ireneo_' >"$folder/undeclared" &&
    fail "exported but not declared: $(tr '\n' ' ' <"$folder/undeclared")"

# --- pkg-config
expect="stored: 345 of 345 recalled"
run_consumer() { # program: runs it with the moved library, and nothing else, in reach
    LD_LIBRARY_PATH="$libraries" "$1" >"$folder/said" || fail "$1 ended with $?"
    grep -q "^$expect" "$folder/said" || fail "$1 said: $(cat "$folder/said")"
}
PKG_CONFIG_PATH="$libraries/pkgconfig"
export PKG_CONFIG_PATH
[ "$(pkg-config --modversion ireneo)" = "$("$program" --version | cut -d' ' -f2)" ] || fail "versions differ"
# Paths with blanks are quoted by pkg-config; eval undoes it.
eval "cc -std=c17 -Wall -Wextra -Werror $sanitize '$source/examples/consumer.c' $(pkg-config --cflags --libs ireneo) -o '$folder/by-pkg-config'"
run_consumer "$folder/by-pkg-config"
mkdir "$folder/only-static"
cp "$libraries/libireneo.a" "$folder/only-static"
eval "cc -std=c17 $sanitize '$source/examples/consumer.c' -L'$folder/only-static' $(pkg-config --cflags --libs --static ireneo) -o '$folder/by-pkg-config-static'"
if ldd "$folder/by-pkg-config-static" | grep -q libireneo; then fail "the static consumer loads libireneo.so"; fi
run_consumer "$folder/by-pkg-config-static"

# --- C++ can read the header
if command -v c++ >/dev/null 2>&1; then
    printf '#include <ireneo.h>\nint main() { return ireneo_version()[0] == 0; }\n' >"$folder/consumer.cc"
    eval "c++ -Wall -Wextra -Werror -pedantic $sanitize '$folder/consumer.cc' $(pkg-config --cflags --libs ireneo) -o '$folder/from-c++'"
    LD_LIBRARY_PATH="$libraries" "$folder/from-c++" || fail "the C++ consumer ended with $?"
fi

# --- find_package
mkdir "$folder/project"
cp "$source/examples/consumer.c" "$folder/project"
cat >"$folder/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(consumer LANGUAGES C)
find_package(ireneo 0.1 REQUIRED)
add_executable(with-shared consumer.c)
target_link_libraries(with-shared PRIVATE ireneo::shared)
add_executable(with-static consumer.c)
target_link_libraries(with-static PRIVATE ireneo::static)
END
cmake -S "$folder/project" -B "$folder/project/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="$sanitize" \
    >"$folder/log" 2>&1 && cmake --build "$folder/project/build" >>"$folder/log" 2>&1 || {
    cat "$folder/log"
    fail "find_package(ireneo)"
}
run_consumer "$folder/project/build/with-shared"
run_consumer "$folder/project/build/with-static"
for request in "0.1 REQUIRED COMPONENTS shared" "9.0 QUIET" "COMPONENTS flying QUIET"; do
    printf 'cmake_minimum_required(VERSION 3.20)\nproject(probe LANGUAGES C)\nfind_package(ireneo %s)\nmessage("found=${ireneo_FOUND}")\nif(TARGET ireneo::static)\nmessage("with static")\nendif()\n' \
        "$request" >"$folder/project/CMakeLists.txt"
    cmake -S "$folder/project" -B "$folder/project/probe" -DCMAKE_PREFIX_PATH="$prefix" >"$folder/log" 2>&1 ||
        fail "probe of $request: $(cat "$folder/log")"
    rm -rf "$folder/project/probe"
    case $request in
    *shared)
        grep -q 'found=1' "$folder/log" || fail "component shared was not found"
        ! grep -q 'with static' "$folder/log" || fail "component shared brings the static library"
        ;;
    *) grep -q 'found=0' "$folder/log" || fail "find_package(ireneo $request) should not find anything" ;;
    esac
done

# --- the installed program
[ "$("$prefix/bin/ireneo" --version)" = "$("$program" --version)" ] || fail "the installed program differs"
"$prefix/bin/ireneo" capacity --dim 100 >/dev/null || fail "the installed program does not run"

# --- its figures, from another folder: a whole one, and one that reads installed data until it is interrupted
unset IRENEO_DATA IRENEO_FIGURES
mkdir "$folder/elsewhere"
cd "$folder/elsewhere"
if command -v gnuplot >/dev/null 2>&1; then
    "$prefix/bin/ireneo" figure dense_phases --quick -o pictures >/dev/null || fail "figure dense_phases"
    [ -s pictures/dense_phases.svg ] && [ -s pictures/dense_phases.png ] || fail "no picture of dense_phases"
fi
ireneo=$prefix/bin/ireneo
set +e
# 0.3 s of work: the data are read in much less, and missing ones end a figure at once
for figure in dense_words words entropy; do
    interrupt 'worked $child 30' figure $figure --quick -o pictures
    [ "$got" -eq 130 ] || fail "figure $figure of the installed program ended with $got: $(cat err)"
done
mv "$prefix/share/ireneo/data" "$folder/data-elsewhere"
refuse 4 "words-100d.npy was not found" figure dense_words --quick -o pictures
export IRENEO_DATA="$folder/data-elsewhere"
interrupt 'worked $child 30' figure dense_words --quick -o pictures
[ "$got" -eq 130 ] || fail "figure with IRENEO_DATA ended with $got: $(cat err)"
finish "installed library: all consumers work"
