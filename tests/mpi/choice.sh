#!/bin/sh
# What a store chooses and proves over ranks: facts that are kept when not all fit, the largest margin, certificates, and
# what goes into the file beside the memory.
. "$(dirname "$0")/../support/mpi.sh"

# report_of: the report in file out without what depends on time and ranks.
report_of() {
    "$python" - <<'TEXT'
import json
report = json.load(open("out"))
for name in ("seconds", "peak_bytes", "ranks", "nodes", "bytes_sent", "seconds_by_phase", "phases", "memory", "state", "resume",
             "dropped"):
    report.pop(name, None)
print(json.dumps(report))
TEXT
}

# alike WHAT CODE ARGUMENTS...: one process and $counts ranks, into one.* and many.*: report, memory, dropped facts, proof.
counts="2 3 4"
alike() {
    what=$1 code=$2
    shift 2
    rm -f one.* many.*
    "$plain" store "$@" -o one.safetensors --certificate one.proof.safetensors --threads 1 --json >out 2>err
    [ $? -eq "$code" ] || fault "$what: exit of one process: $(cat err out)"
    report_of >one.report
    for count in $counts; do
        threads=$((1 + count % 2))
        over "$count" "$code" store "$@" -o many.safetensors --certificate many.proof.safetensors --json
        report_of | cmp -s - one.report || fault "$what: $count ranks report something else: $(report_of | diff - one.report)"
        same_tensors one.safetensors many.safetensors || fault "$what: $count ranks store another memory"
        for file in proof.safetensors safetensors.dropped.npy; do
            [ -e "one.$file" ] || continue
            cmp -s "one.$file" "many.$file" || fault "$what: $count ranks write another $file"
        done
    done
    threads=1
}

"$plain" sample --dim 14 --facts 90 --seed 1 -o many >/dev/null
"$plain" sample --dim 14 --facts 30 --seed 2 -o few >/dev/null
"$python" - <<'TEXT'
import numpy as np
rng = np.random.default_rng(1)
np.save("weights.npy", rng.integers(1, 4, 90).astype("f8"))
keys = np.load("few/keys.npy")
keys[17] = keys[4]
np.save("equal.npy", keys)
open("keys.txt", "w").write("".join(f"key{k}\n" for k in range(30)))
TEXT

# --- facts that are chosen, also by weight; a proof; a contradiction; the largest margin
alike "overload" 0 many/keys.npy many/values.npy --overload
[ -e one.safetensors.dropped.npy ] || fault "no list of what was given up"
counts=3
alike "overload with weights" 0 many/keys.npy many/values.npy --overload --weights weights.npy
counts="2 4"
alike "a proof" 1 many/keys.npy many/values.npy
[ -e one.proof.safetensors ] || fault "nothing was proved"
over 3 0 verify many.proof.safetensors many/keys.npy many/values.npy
counts=3
alike "a contradiction" 1 equal.npy few/values.npy
grep -q "facts 4 and 17" out || fault "a contradiction over ranks: $(cat out)"
alike "the largest margin" 0 few/keys.npy few/values.npy --max-margin
holds "seconds by phase" "r['ranks'] == 3 and r['bytes_sent'] > 0 and r['seconds_by_phase']['scan'] > 0"
holds "the margin" "r['margin'] > 0 and r['duality_gap'] < 0.01"

# --- names, keys and values in the file: ask finds them
alike "names" 0 few/keys.npy few/values.npy --key-labels keys.txt --value-labels keys.txt
"$plain" ask many.safetensors key7 >out 2>err || fault "ask: $(cat err)"
grep -q "^key7 -> key7" out || fault "ask: $(cat out)"

# --- offsets and starting points
"$python" -c "
import numpy as np
np.save('offsets.npy', np.random.default_rng(2).standard_normal((30, 14)).astype('f4'))"
cp one.safetensors start.safetensors
alike "a starting point" 0 few/keys.npy few/values.npy --init start.safetensors

# --- weights of another number, and labels
refuse_over 3 3 "30 weights\|90 weights" store few/keys.npy few/values.npy --overload --weights weights.npy -o x.safetensors
refuse_over 2 3 "keys.txt" store many/keys.npy many/values.npy --key-labels keys.txt -o x.safetensors
[ ! -e x.safetensors ] || fault "a store that was refused wrote something"

finish "choices and proofs over ranks: all good"
