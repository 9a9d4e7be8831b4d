#!/bin/sh
# kills.sh IRENEO [KILLS] [SEED]: kill -9 at random moments of store, sweep and dense simulate (default 200 in all).
# After each kill every output must be the old one or whole, and stores of results must be sound; the last run of each,
# which is left alone, must end with what an undisturbed one gives, and with no file too many.
set -u
ireneo=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 4

"${PYTHON:-python3}" - "$ireneo" "${2:-200}" "${3:-1}" <<'END'
import csv, io, json, os, random, shutil, sqlite3, struct, subprocess, sys, time

program, kills, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(seed)
faults = 0


def fault(what):
    global faults
    faults += 1
    print(f"    FAULT: {what}")


def tensors(path):
    data = open(path, "rb").read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    end = max(v["data_offsets"][1] for k, v in header.items() if k != "__metadata__")
    return data[8 + length:] if len(data) == 8 + length + end else None


def finish(arguments, where):
    return subprocess.run([program, *arguments], cwd=where, capture_output=True, text=True, timeout=600)


def sound(path):
    if not os.path.exists(path):
        return True
    return sqlite3.connect(path, timeout=30).execute("pragma integrity_check").fetchone()[0] == "ok"


def without_times(text):
    rows = list(csv.reader(io.StringIO(text)))
    drop = {k for k, name in enumerate(rows[0]) if "second" in name or "peak" in name or "time" in name}
    return sorted([[c for k, c in enumerate(r) if k not in drop] for r in rows])


def memory_of(where):
    return tensors(f"{where}/m.safetensors")


def store_whole(where):
    data = open(f"{where}/m.safetensors", "rb").read()
    return data == open("old.safetensors", "rb").read() or tensors(f"{where}/m.safetensors") is not None


def rows_of(where):
    return without_times(finish([*SWEEP, "--csv", "-"], where).stdout)


def draws_of(where):
    report = json.loads(finish([*DENSE, "--json"], where).stdout)
    return {k: v for k, v in report.items() if "second" not in k and "peak" not in k}


STORE = ["store", "../facts/keys.npy", "../facts/values.npy", "-o", "m.safetensors"]
SWEEP = ["sweep", "--dim", "12", "--load", "0.3:0.9:5", "--trials", "8", "--db", "r.db"]
DENSE = ["dense", "simulate", "--neurons", "20", "--alpha", "0.5", "--lambda", "1", "--draws", "400", "--steps", "20",
         "--db", "r.db"]
SCENARIOS = [("store", STORE, store_whole, memory_of, {"m.safetensors", "m.safetensors.state"}),
             ("sweep", SWEEP, lambda w: sound(f"{w}/r.db"), rows_of, {"r.db"}),
             ("dense simulate", DENSE, lambda w: sound(f"{w}/r.db"), draws_of, {"r.db"})]

subprocess.run([program, "sample", "--dim", "120", "--facts", "1400", "-o", "facts"], check=True, stdout=subprocess.DEVNULL)
subprocess.run([program, "sample", "--dim", "5", "--facts", "5", "-o", "few"], check=True, stdout=subprocess.DEVNULL)
subprocess.run([program, "store", "few/keys.npy", "few/values.npy", "-o", "old.safetensors"], check=True,
               stdout=subprocess.DEVNULL)
print(f"{'command':<16} {'seconds':>8} {'kills':>6} {'during work':>12}")
for number, (name, arguments, whole, result, expected) in enumerate(SCENARIOS):
    for where in ("good", "work"):
        shutil.rmtree(where, ignore_errors=True)
        os.mkdir(where)
    shutil.copy("old.safetensors", "work/m.safetensors") if name == "store" else None
    begin = time.monotonic()
    done = finish(arguments, "good")
    seconds = time.monotonic() - begin
    assert done.returncode in (0, 1), done
    reference = result("good")
    times, during = kills // 3 + (number < kills % 3), 0
    for k in range(times):
        resume = ["--resume"] if name == "store" and os.path.exists("work/m.safetensors.state") else []
        if name != "store" and k % 10 == 9:  # a store that is complete leaves nothing to disturb
            shutil.rmtree("work"), os.mkdir("work")
        child = subprocess.Popen([program, *arguments, *resume], cwd="work", stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 1.05 * seconds / (1 if name == "store" else 4)))
        during += child.poll() is None
        child.kill()
        child.wait()
        if not whole("work"):
            fault(f"{name}, kill {k}: a file is half written")
    resume = ["--resume"] if name == "store" and os.path.exists("work/m.safetensors.state") else []
    last = finish([*arguments, *resume], "work")
    if last.returncode != done.returncode:
        fault(f"{name}: exit {last.returncode} after the kills: {last.stderr.strip()[:120]}")
    elif result("work") != reference:
        fault(f"{name}: another result after the kills")
    extra = sorted(set(os.listdir("work")) - expected - {"r.db-wal", "r.db-shm"})
    if extra:
        fault(f"{name}: {len(extra)} files left, such as {extra[0]}")
    print(f"{name:<16} {seconds:>8.2f} {times:>6} {during:>12}", flush=True)
print(f"{kills} kills, {faults} faults")
sys.exit(faults > 0)
END
