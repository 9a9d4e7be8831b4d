#!/bin/sh
# Limits of the machine: an address space that is too small for the libraries, or for the data, is exit 4 and one sentence,
# never a hang or "no"; a full device too. A store of results without a file is refused.
. "$(dirname "$0")/../support/cli.sh"

run 0 sample --dim 20 --facts 60 -o facts
run 0 store facts/keys.npy facts/values.npy -o m.safetensors
echo "w0" >labels.txt

# limited MEGABYTES CODES ARGUMENTS...: ends by itself with one of the codes; 4 comes with one sentence.
limited() {
    megabytes=$1 codes=$2
    shift 2
    (ulimit -v $((megabytes * 1024)) && exec timeout -s KILL 120 "$ireneo" "$@") >out 2>err
    got=$?
    case " $codes " in *" $got "*) ;; *) fault "$*, $megabytes MB: exit $got: $(cat err)" ;; esac
    [ "$got" -ne 4 ] || [ "$(wc -l <err)" -eq 1 ] || fault "$*, $megabytes MB: not one sentence: $(cat err)"
}

# Sanitizers reserve more addresses than any limit leaves.
if [ "$sanitized" = no ]; then
    for megabytes in 100 150 200 250 300; do
        limited $megabytes 4 --version
        limited $megabytes 4 store facts/keys.npy facts/values.npy -o x.safetensors
        limited $megabytes 4 recall m.safetensors facts/keys.npy --values facts/values.npy
        limited $megabytes 4 sweep --dim 6 --facts 10 --trials 4 --db x.db
    done
    (ulimit -d 60000 && exec timeout -s KILL 120 "$ireneo" check m.safetensors facts/keys.npy facts/values.npy) >out 2>err
    [ $? -eq 4 ] || fault "a limit of private memory: $(cat err)"
    cores=$("$python" -c 'import os; print(len(os.sched_getaffinity(0)))')
    enough=$((300 + 128 * cores))
    for more in 0 10 30 100; do
        limited $((enough + more)) "0 4" store facts/keys.npy facts/values.npy -o x.safetensors --threads 64
        limited $((enough + more)) "0 4" sweep --dim 6 --facts 10 --trials 4 --db "x$more.db"
        limited $((enough + more)) "0 4" check m.safetensors facts/keys.npy facts/values.npy
    done
fi

# ---- facts that no machine holds: said by the headers alone, before anything is loaded
"$python" - <<'END'
from numpy.lib.format import write_array_header_1_0
for name in ("keys.npy", "values.npy"):
    with open(name, "wb") as file:
        write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (10**9, 256)})
        file.truncate(file.tell() + 4 * 10**9 * 256)  # a hole
END
refuse 4 "storing these facts needs about" store keys.npy values.npy -o huge.safetensors
rm -f keys.npy values.npy

# ---- a device without room
for line in "store facts/keys.npy facts/values.npy -o /dev/full" "capacity --dim 10" \
    "recall m.safetensors facts/keys.npy --values facts/values.npy --json" \
    "sweep --dim 6 --facts 10 --trials 2 --db full.db --csv /dev/full" "sweep --dim 6 --facts 10 --trials 2 --db full.db --csv -"; do
    # shellcheck disable=SC2086
    "$ireneo" $line >/dev/full 2>err
    got=$?
    [ "$got" -eq 4 ] || fault "$line into a full device: exit $got: $(cat err)"
    [ "$(wc -l <err)" -eq 1 ] || fault "$line into a full device: not one sentence: $(cat err)"
done

# ---- results that would be kept nowhere
for name in '' :memory:; do
    refuse 2 "keep nothing" sweep --dim 6 --facts 10 --trials 2 --db "$name"
    refuse 2 "keep nothing" dense simulate --neurons 10 --alpha 0.3 --lambda 1 --draws 2 --db "$name"
done

# ---- what a killed process left goes with the next write to the same place; what others have stays
: >.m.safetensors.0123456789abcdef.ireneo
: >.other.safetensors.0123456789abcdef.ireneo
run 0 store facts/keys.npy facts/values.npy -o m.safetensors
[ ! -e .m.safetensors.0123456789abcdef.ireneo ] || fault "a stale temporary file stays"
[ -e .other.safetensors.0123456789abcdef.ireneo ] || fault "another file's temporary file was removed"
rm -f .other.safetensors.0123456789abcdef.ireneo
"$python" - "$ireneo" <<'END' || fault "the temporary file of a living writer was removed"
import fcntl, os, subprocess, sys
name = ".m.safetensors.0123456789abcdef.ireneo"
held = os.open(name, os.O_WRONLY | os.O_CREAT)
fcntl.flock(held, fcntl.LOCK_EX)
subprocess.run([sys.argv[1], "store", "facts/keys.npy", "facts/values.npy", "-o", "m.safetensors"], check=True,
               stdout=subprocess.DEVNULL)
there = os.path.exists(name)
if there:
    os.remove(name)
sys.exit(not there)
END

finish "limits: all as it should be"
