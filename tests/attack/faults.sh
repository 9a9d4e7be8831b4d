#!/bin/sh
# faults.sh IRENEO SHIM [POINTS]: lets the k-th allocation, write, fsync, rename, mmap or open fail, for every k (at most
# POINTS of them, evenly spread, default 150 a class), while the program stores, sweeps, recalls, makes pairs and draws
# figures. Every run must end by itself with an exit code of the list and one sentence, leave no temporary file, and
# leave each output as it was or whole; a run that ends as if nothing had happened must have written what it writes
# otherwise. Prints points and faults by command and class; exit 1 on a fault.
set -u
ireneo=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shim=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 4

"${PYTHON:-python3}" - "$ireneo" "$shim" "${3:-150}" <<'END'
import os, re, shutil, signal, sqlite3, struct, subprocess, sys

program, shim, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
CLASSES = ["allocate", "write", "fsync", "rename", "mmap", "open"]
FACTS = ["../facts/keys.npy", "../facts/values.npy"]
SCENARIOS = [  # name, arguments, output files
    ("store", ["store", *FACTS, "-o", "m.safetensors", "--threads", "2"], ["m.safetensors"]),
    ("store (impossible)", ["store", "../many/keys.npy", "../many/values.npy", "-o", "m.safetensors",
                            "--certificate", "c.safetensors"], ["m.safetensors", "c.safetensors"]),
    ("recall", ["recall", "../m.safetensors", FACTS[0], "--values", FACTS[1], "--top", "2", "--json"], []),
    ("check", ["check", "../m.safetensors", *FACTS, "--json"], []),
    ("sweep", ["sweep", "--dim", "4", "--facts", "3,6", "--trials", "2", "--db", "r.db"], ["r.db"]),
    ("pairs", ["pairs", FACTS[1], "../labels.txt", "../pairs.csv", "-o", "."],
     ["keys.npy", "targets.npy", "keys.txt"]),
    ("figure", ["figure", "capacity", "--quick", "-o", "."],
     ["capacity.csv", "capacity.svg", "capacity.png", "capacity.pdf", "results.db"]),
]


def prepare():
    for name, facts in (("facts", "10"), ("many", "60")):
        subprocess.run([program, "sample", "--dim", "6", "--facts", facts, "-o", name], check=True,
                       stdout=subprocess.DEVNULL)
    subprocess.run([program, "store", "facts/keys.npy", "facts/values.npy", "-o", "m.safetensors"], check=True,
                   stdout=subprocess.DEVNULL)
    # Outputs that are there already: of the right kind, else the program refuses to replace them.
    os.mkdir("old")
    subprocess.run([program, "sample", "--dim", "6", "--facts", "61", "--seed", "9", "-o", "others"], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([program, "store", "others/keys.npy", "others/values.npy", "-o", "old/m.safetensors", "--certificate",
                    "old/c.safetensors"], stdout=subprocess.DEVNULL)
    shutil.copy("others/keys.npy", "old/keys.npy")
    shutil.copy("others/keys.npy", "old/targets.npy")
    open("labels.txt", "w").write("".join(f"w{k}\n" for k in range(10)))
    open("pairs.csv", "w").write("w1,w2\nw3,w4\n")


def old(name):
    return open(f"old/{name}", "rb").read() if os.path.exists(f"old/{name}") else b"old"


def content(path):
    """What a file says, without times: tensors of a .safetensors, rows of a store, else its bytes."""
    if not os.path.exists(path):
        return None
    data = open(path, "rb").read()
    if data == old(os.path.basename(path)):
        return "old"
    if path.endswith(".safetensors"):
        return data[8 + struct.unpack("<Q", data[:8])[0]:] if len(data) >= 8 else data
    if path.endswith(".db"):
        store = sqlite3.connect(path)
        if store.execute("pragma integrity_check").fetchone()[0] != "ok":
            return "damaged"
        tables = [t for (t,) in store.execute("select name from sqlite_master where type='table' order by 1")]
        return [(t, store.execute(f"select count(*) from {t}").fetchone()[0]) for t in tables]
    if re.search(r"\.(svg|png|pdf)$", path):
        return "picture" if len(data) > 1000 else data
    return data


def run(arguments, outputs, call="", at=0, fresh=False):
    shutil.rmtree("work", ignore_errors=True)
    os.mkdir("work")
    for name in outputs:
        if not name.endswith(".db") and not fresh:
            open(f"work/{name}", "wb").write(old(name))
    environment = dict(os.environ, LD_PRELOAD=shim, FAULT_CALL=call, FAULT_AT=str(at), FAULT_COUNTS="../counts")
    try:
        done = subprocess.run([program, *arguments], cwd="work", env=environment, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return None, {}, ["does not end"]
    return done, {name: content(f"work/{name}") for name in outputs}, sorted(os.listdir("work"))


def plain(text):
    return re.sub(rb"[0-9.e+-]+ s\b|\d+\.\d+$", b"", text, flags=re.M)


def judge(good, good_files, listing, done, files, left, outputs):
    """What is wrong with a run that had a failing call; '' when nothing is."""
    if done is None:
        return "does not end"
    if done.returncode < 0:
        return f"killed by {signal.Signals(-done.returncode).name}"
    extra = [n for n in left if n not in listing and not n.endswith((".db-wal", ".db-shm", ".db-journal"))]
    if extra:
        return f"leaves {', '.join(extra)} (exit {done.returncode})"
    if done.returncode == good.returncode:
        if "json" in "".join(done.args) and done.stdout != good.stdout:
            return "exit as usual, other output"
        broken = [n for n in outputs if files[n] != good_files[n]]
        return f"exit {done.returncode} as usual, but {', '.join(broken)} not as usual" if broken else ""
    if done.returncode not in (2, 3, 4):
        return f"exit {done.returncode}: {done.stderr.decode(errors='replace').strip()[:80]}"
    if len(done.stderr.split(b"\n")) - 1 != 1:
        said = re.sub(r"/[^ ]*/", "", done.stderr.decode(errors="replace"))
        return f"{said.count(chr(10))} sentences (exit {done.returncode}): {said[:100]!r}"
    for name in outputs:
        if name.endswith(".db"):
            if files[name] == "damaged":
                return f"{name} is damaged"
        elif files[name] not in ("old", good_files[name]):
            return f"{name} is neither old nor whole (exit {done.returncode})"
    return ""


prepare()
total = faults = 0
print(f"{'command':<20} {'class':<9} {'calls':>7} {'points':>7} {'faults':>7}")
for name, arguments, outputs in SCENARIOS:
    good, good_files, listing = run(arguments, outputs)
    assert good is not None and good.returncode in (0, 1), (name, good)
    assert os.path.exists("counts"), "the shim was not loaded"
    calls = dict(line.split() for line in open("counts"))
    for call in CLASSES:
        count = int(calls[call])
        step = max(1, -(-count // most))
        said, points, wrong = {}, 0, 0
        for at in range(1, count + 1, step):
            problem = judge(good, good_files, listing, *run(arguments, outputs, call, at), outputs)
            points += 1
            if problem:
                wrong += 1
                said.setdefault(problem, []).append(at)
        print(f"{name:<20} {call:<9} {count:>7} {points:>7} {wrong:>7}", flush=True)
        for problem, where in said.items():
            print(f"    FAULT: {problem}; call {', '.join(map(str, where[:6]))}{' ...' if len(where) > 6 else ''}")
        total, faults = total + points, faults + wrong
print(f"{total} failing calls, {faults} faults")
sys.exit(faults > 0)
END
