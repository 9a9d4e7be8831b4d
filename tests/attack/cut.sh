#!/bin/sh
# cut.sh IRENEO [TIMES]: files of 70 MB, which the program maps, are cut short at random moments while store, recall and
# check read them (default 12 times each). That must be an error in one sentence, never a signal.
set -u
ireneo=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 4

"${PYTHON:-python3}" - "$ireneo" "${2:-12}" <<'END'
import os, random, signal, subprocess, sys, time
import numpy as np

program, times = sys.argv[1], int(sys.argv[2])
random.seed(1)
rows, dim, faults = 280000, 64, 0
keys = np.random.default_rng(1).standard_normal((rows, dim), dtype=np.float32)
np.save("whole.npy", keys)
np.save("values.npy", keys[:50])
np.save("targets.npy", np.arange(rows) % 50)
whole = open("whole.npy", "rb").read()
subprocess.run([program, "store", "values.npy", "values.npy", "-o", "m.safetensors"], check=True, stdout=subprocess.DEVNULL)
FACTS = ["keys.npy", "values.npy", "--targets", "targets.npy"]
COMMANDS = {"store": ["store", *FACTS, "-o", "out.safetensors", "--solver", "hebbian"],
            "recall": ["recall", "m.safetensors", "keys.npy", "--values", "values.npy"],
            "check": ["check", "m.safetensors", *FACTS]}

print(f"{'command':<8} {'cuts':>5} {'too late':>9} {'errors':>7} {'signals':>8}")
for name, arguments in COMMANDS.items():
    late = errors = signals = 0
    open("keys.npy", "wb").write(whole)
    begin = time.monotonic()
    subprocess.run([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    seconds = min(0.5, time.monotonic() - begin)
    for k in range(times):
        with open("keys.npy", "wb") as file:
            file.write(whole)
        child = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(random.uniform(0, seconds))
        os.truncate("keys.npy", random.choice([0, 100, 4096, 1 << 20, len(whole) // 2]))
        try:
            said = child.communicate(timeout=300)[1]
        except subprocess.TimeoutExpired:
            child.kill(), child.communicate()
            faults += 1
            print(f"    FAULT: {name}: does not end")
            continue
        if child.returncode < 0:
            signals += 1
        elif child.returncode in (0, 1):
            late += 1
        else:
            errors += 1
            if said.count("\n") != 1:
                faults += 1
                print(f"    FAULT: {name}: not one sentence: {said!r}")
    if signals:
        faults += signals
        print(f"    FAULT: {name}: ended by a signal {signals} times of {times}")
    print(f"{name:<8} {times:>5} {late:>9} {errors:>7} {signals:>8}", flush=True)
sys.exit(faults > 0)
END
