#!/bin/sh
# The program and the shared library as they are built: position-independent, read-only after relocation, with stack
# protector and checked library calls, no executable stack, and no folder of their own to search libraries in, least
# of all the current one. A library planted there must not run.
. "$(dirname "$0")/../support/cli.sh"
command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 0; }

for file in "$ireneo" "$(dirname "$ireneo")/libireneo.so"; do
    [ -e "$file" ] || continue
    name=$(basename "$file")
    readelf -Wh "$file" | grep -q 'Type: *DYN' || fault "$name is not position-independent"
    readelf -Wd "$file" | grep -E 'RUNPATH|RPATH' && fault "$name has a run path"
    readelf -Wl "$file" | grep -q GNU_RELRO || fault "$name has no RELRO"
    readelf -Wd "$file" | grep -Eq 'BIND_NOW|FLAGS_1.*NOW' || fault "$name is bound lazily, its RELRO is partial"
    readelf -Wl "$file" | grep GNU_STACK | grep -q RWE && fault "$name has an executable stack"
    readelf -Wd "$file" | grep -q TEXTREL && fault "$name has relocations in its code"
    readelf -Ws "$file" | grep -q __stack_chk_fail || fault "$name has no stack protector"
    # Sanitizers replace the checked calls by their own.
    [ "$sanitized" = yes ] || readelf -Ws "$file" | grep -Eq '__[a-z]+_chk' || fault "$name has no checked library calls"
done

# The folder holds bait of the name of every library.
for bait in $(readelf -Wd "$ireneo" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'); do echo bait >"$bait"; done
unset LD_LIBRARY_PATH
expect 0 '^ireneo' --version
finish "hardened: no run path, full RELRO, PIE, stack protector, checked calls"
