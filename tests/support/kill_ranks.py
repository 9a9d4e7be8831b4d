"""kill_ranks.py PROGRAM MPIRUN KILLS SEED: kill -9 of a random rank at a random moment of a store, again and again.

After each kill mpirun must end, and not with 0; whatever lies beside the facts must be whole; and --resume, or the same
command when nothing was saved yet, must end on another number of ranks with the bytes of an undisturbed store. Moments are
shares of the processor time that an undisturbed rank takes, not of the clock: machines are busy. Every second one is counted
from the first state on.
"""
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time

program, mpirun, kills, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
random.seed(seed)
TICK = os.sysconf("SC_CLK_TCK")
STORE = ["store", "facts/keys.npy", "facts/values.npy", "--json"]
faults = 0


def fault(what):
    global faults
    faults += 1
    print(f"FAULT: {what}", flush=True)


def launch(ranks, where, *more):
    command = [mpirun, "-n", str(ranks), program, *STORE, "-o", f"{where}/m.safetensors", *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "OMP_NUM_THREADS": "1"})


def parents():
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                found[int(entry)] = int(open(f"/proc/{entry}/stat").read().rpartition(")")[2].split()[1])
            except OSError:
                pass
    return found


def ranks_of(job):
    """The processes below mpirun that are the program."""
    table, found = parents(), []
    for process in table:
        above = process
        while above in table and above != job.pid:
            above = table[above]
        try:
            if above == job.pid and os.path.samefile(f"/proc/{process}/exe", program):
                found.append(process)
        except OSError:
            pass
    return sorted(found)


def used(process):
    """Seconds of processor time, or None when it has ended."""
    try:
        words = open(f"/proc/{process}/stat").read().rpartition(")")[2].split()
        return None if words[0] == "Z" else (int(words[11]) + int(words[12])) / TICK
    except OSError:
        return None


def whole(path):
    """A safetensors file as long as its header says."""
    data = open(path, "rb").read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    return len(data) == 8 + length + max(v["data_offsets"][1] for k, v in header.items() if k != "__metadata__")


def kill_one(ranks, where, moment, after):
    """Starts a store, kills one of its ranks once it has worked so long (after the file `after` is there, if one is named);
    whether it was in time."""
    job = launch(ranks, where)
    while len(ranks_of(job)) < ranks and job.poll() is None:
        time.sleep(0.002)
    victims = ranks_of(job)
    victim = random.choice(victims) if victims else None
    while victim and job.poll() is None:
        time_used = used(victim)
        if time_used is None:
            break
        if after and os.path.exists(after):
            moment, after = time_used + moment, None
        if not after and time_used >= moment:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass
            break
        time.sleep(0.001)
    try:
        job.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        fault(f"mpirun hangs after a rank of {ranks} was killed")
        job.kill()
        job.communicate()
    return job.returncode != 0


def finish(ranks, where, *more):
    job = launch(ranks, where, *more)
    out, err = job.communicate(timeout=600)
    if job.returncode != 0:
        fault(f"{ranks} ranks {' '.join(more)}: exit {job.returncode}: {err.strip()[:300]}")
        return None
    return json.loads(out.splitlines()[0])


os.mkdir("good")
begin = os.times()
report = finish(2, "good")
end = os.times()
usual = (end.children_user + end.children_system - begin.children_user - begin.children_system) / 2
good = open("good/m.safetensors", "rb").read()
during = resumed = 0
tries = 0
while during < kills and tries < 5 * kills and faults == 0:
    tries += 1
    shutil.rmtree("work", ignore_errors=True)
    os.mkdir("work")
    before, after = random.sample([1, 2, 3, 4], 2)
    before = max(before, 2)
    share = usual * 2 / before
    state = "work/m.safetensors.state" if tries % 2 else None
    if not kill_one(before, "work", random.uniform(0, share / (3 if state else 1)), state):
        continue  # it had finished
    during += 1
    left = sorted(os.listdir("work"))
    for name in left:
        if name.endswith(("safetensors", "state")) and not whole(f"work/{name}"):
            fault(f"kill {during}: {name} is half written")
    if "m.safetensors" in left and open("work/m.safetensors", "rb").read() != good:
        fault(f"kill {during}: it left a memory that is not the one")
    go_on = ["--resume"] if "m.safetensors.state" in left else []
    resumed += bool(go_on)
    if finish(after, "work", *go_on) and open("work/m.safetensors", "rb").read() != good:
        fault(f"kill {during} of {before} ranks, then {after}{' resumed' if go_on else ''}: other bytes")
    extra = [name for name in os.listdir("work") if name != "m.safetensors"]
    if extra:
        fault(f"kill {during}: {', '.join(extra)} left behind")
print(f"{during} kills of a rank in {tries} stores of {usual:.2f} s, {resumed} resumed from a saved state: {faults} faults")
if during < kills and faults == 0:
    fault(f"only {during} of {tries} stores could be killed in time")
sys.exit(faults > 0)
