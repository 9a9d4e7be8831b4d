#!/bin/sh
# Signals: SIGTERM and SIGHUP keep what Ctrl-C keeps, end the program at once while files load, and a second one ends it
# in any case. Under nohup SIGHUP stays ignored.
. "$(dirname "$0")/../support/cli.sh"

"$ireneo" sample --dim 250 --facts 5640 --seed 1 -o facts >/dev/null || exit 4
store="store facts/keys.npy facts/values.npy -o m.safetensors --threads 1"

for name in TERM HUP; do
    rm -f m.safetensors.state
    # shellcheck disable=SC2086
    stop "$name" 'worked $child 0' $store
    [ "$got" -eq 130 ] || fault "store, SIG$name: exit $got: $(cat err)"
    [ -s m.safetensors.state ] || fault "store, SIG$name: no state was kept"
    rm -f r.db
    stop "$name" '[ "$(rows trials r.db)" -gt 0 ]' sweep --dim 40 --load 0.3:0.6:5 --trials 400 --threads 1 --db r.db
    [ "$got" -eq 130 ] || fault "sweep, SIG$name: exit $got: $(cat err)"
    grep -q 'goes on from them' err || fault "sweep, SIG$name: $(cat err)"
done
rm -f m.safetensors.state


# While files load there is nothing to keep: the program has no handler, and the signal ends it. Seen from outside: as
# long as it has the file open it does not listen.
"$python" - "$ireneo" <<'END' || fault "it listens while files load, or was never seen loading"
import os, subprocess, sys
import numpy as np
np.lib.format.open_memmap("big.npy", "w+", np.float32, (1000000, 100))[0, 0] = 1
TERM = 1 << 14


def state(process):
    """Whether it has the file open, and whether it listens."""
    maps = open(f"/proc/{process}/maps").read()
    names = [os.readlink(f"/proc/{process}/fd/{d}") for d in os.listdir(f"/proc/{process}/fd")]
    caught = [int(line.split()[1], 16) for line in open(f"/proc/{process}/status") if line.startswith("SigCgt")][0]
    return "big.npy" in maps or any("big.npy" in name for name in names), bool(caught & TERM)


seen = 0
for attempt in range(20):
    child = subprocess.Popen([sys.argv[1], "store", "big.npy", "big.npy", "-o", "m.safetensors"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while child.poll() is None and not seen:
        try:
            loading, listening = state(child.pid)
        except OSError:
            continue
        if not loading:
            if listening:
                break
            continue
        child.terminate()
        seen = 1
        listened = listening
    if not seen:
        child.kill()
    code = child.wait()
    if seen:
        break
os.remove("big.npy")
sys.exit(not (seen and not listened and code == -15))
END

# Under nohup a terminal that closes changes nothing.
(trap '' HUP && exec "$ireneo" sweep --dim 12 --facts 20 --trials 200 --threads 1 --db n.db) >out 2>err &
started
until_rows 1 trials n.db "$child"
kill -HUP "$child"
wait "$child" || fault "SIGHUP under nohup: exit $?: $(cat err)"

finish "signals keep what Ctrl-C keeps"
