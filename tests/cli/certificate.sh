#!/bin/sh
# Certificates as files: what verify accepts, and that nothing altered, cut, of another version or for other facts
# gets through. Priorities of --overload that cannot be used.
. "$(dirname "$0")/../support/cli.sh"

run 0 sample --dim 16 --facts 80 --seed 5 -o facts
run 0 sample --dim 16 --facts 80 --seed 6 -o others
run 1 store facts/keys.npy facts/values.npy -o none.safetensors --certificate proof.safetensors --json
is status impossible

"$python" - "$ireneo" <<'END' || fault "certificates"
import json, struct, subprocess, sys
import numpy as np

program = sys.argv[1]
faults = 0
good = open("proof.safetensors", "rb").read()
length = struct.unpack("<Q", good[:8])[0]
header, body = json.loads(good[8 : 8 + length]), good[8 + length :]


def verify(path, keys="facts/keys.npy", values="facts/values.npy", *more):
    return subprocess.run([program, "verify", path, keys, values, *more], capture_output=True, text=True)


def expect(what, codes, path="altered.safetensors", *facts):
    """Exit code among codes; a refusal is one sentence on stderr, a rejection says so."""
    global faults
    got = verify(path, *facts)
    fine = got.returncode in codes
    if got.returncode == 1:
        fine = fine and "rejected" in got.stdout and got.stderr == ""
    if got.returncode > 1:
        fine = fine and got.stdout == "" and got.stderr.count("\n") == 1
    if not fine:
        faults += 1
        print(f"FAULT: {what}: exit {got.returncode}: {got.stdout}{got.stderr}")


def write(new_header, new_body, path="altered.safetensors"):
    text = json.dumps(new_header).encode()
    text += b" " * (-len(text) % 8)
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + new_body)


def arrays():
    out = {}
    for name, dtype in (("fact", "<i8"), ("candidate", "<i8"), ("weight", "<f8")):
        begin, end = header[name]["data_offsets"]
        out[name] = np.frombuffer(body[begin:end], dtype).copy()
    return out


def body_of(parts):
    return b"".join(parts[name].tobytes() for name in sorted(parts, key=lambda n: header[n]["data_offsets"][0]))


expect("the certificate itself", {0}, "proof.safetensors")
write(header, body)
expect("the same, written anew", {0})
expect("other keys", {1}, "proof.safetensors", "others/keys.npy", "facts/values.npy")
expect("other values", {1}, "proof.safetensors", "facts/keys.npy", "others/values.npy")
keys = np.load("facts/keys.npy")
keys[3, 4] = np.nextafter(keys[3, 4], np.float32(9))
np.save("nudged.npy", keys)
expect("one key changed in its last bit", {1}, "proof.safetensors", "nudged.npy", "facts/values.npy")

rng = np.random.default_rng(1)
count = len(arrays()["weight"])
for k in rng.choice(count, 8, replace=False):
    for name, change in (("weight", lambda w: w * 1.001), ("weight", lambda w: -w), ("weight", lambda w: np.nan),
                         ("fact", lambda i: (i + 1) % 80), ("candidate", lambda j: (j + 1) % 80),
                         ("fact", lambda i: 80), ("candidate", lambda j: -1)):
        parts = arrays()
        parts[name][k] = change(parts[name][k])
        write(header, body_of(parts))
        expect(f"{name} {k} altered", {1, 3})
for name in ("facts_hash", "checksum"):
    other = json.loads(json.dumps(header))
    old = other["__metadata__"][name]
    other["__metadata__"][name] = ("0" if old[0] != "0" else "1") + old[1:]
    write(other, body)
    expect(f"{name} altered", {1, 3})
    del other["__metadata__"][name]
    write(other, body)
    expect(f"no {name}", {1, 3})
for version in ("ireneo-certificate-1", "ireneo-memory-2", ""):
    other = json.loads(json.dumps(header))
    other["__metadata__"]["format"] = version
    write(other, body)
    expect(f"format '{version}'", {3})
for name in ("fact", "candidate", "weight"):
    other = json.loads(json.dumps(header))
    del other[name]
    write(other, body)
    expect(f"no array {name}", {3})
for size in [0, 7, 8, 100, 8 + length, len(good) // 2, len(good) - 1]:
    open("altered.safetensors", "wb").write(good[:size])
    expect(f"cut to {size} bytes", {3})
for place in rng.choice(len(good), 60, replace=False):
    flipped = bytearray(good)
    flipped[place] ^= 1 << int(rng.integers(8))
    open("altered.safetensors", "wb").write(flipped)
    inside = 8 <= place < 8 + length
    if inside:  # a bit of the heading may fall on a blank or on a word that nothing depends on
        expect(f"bit of byte {place} of the heading flipped", {0, 1, 3})
    else:
        expect(f"bit of byte {place} flipped", {1, 3})
sys.exit(1 if faults else 0)
END

# ---- priorities
"$python" - <<'END'
import numpy as np
for name, wrong in (("negative", -1.0), ("zero", 0.0), ("nan", np.nan), ("infinite", np.inf)):
    weights = np.ones(80)
    weights[7] = wrong
    np.save(name + ".npy", weights)
np.save("short.npy", np.ones(79))
np.save("square.npy", np.ones((80, 2)))
END
for name in negative zero nan infinite short square; do
    refuse 3 "weights\|$name.npy" store facts/keys.npy facts/values.npy --overload --weights $name.npy -o kept.safetensors
    [ ! -e kept.safetensors ] || fault "$name weights: a memory was written"
done

# ---- the seeds of the fuzzers are files of this version: an older format would end at the first line of a reader
printf '1 0 0\n0 1 0\n0 0 1\n' >identity.txt
for seed in sealed single; do
    cp "$root/tests/fuzz/corpus/certificate/$seed" $seed.safetensors
    expect 1 "its weights do not cancel" verify $seed.safetensors identity.txt identity.txt
done
for seed in plain factors labels; do
    cp "$root/tests/fuzz/corpus/memory/sealed-$seed" $seed.safetensors
    "$ireneo" check $seed.safetensors identity.txt identity.txt >out 2>err
    [ $? -le 1 ] || fault "the seed $seed is no memory: $(cat err)"
done

finish "certificates: nothing altered gets through"
