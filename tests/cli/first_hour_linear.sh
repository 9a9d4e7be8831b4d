#!/bin/sh
# The first hour with linear memories, through the program: answers that help, nothing overwritten, labels that are counted,
# streams, lists of what is missed. Each part was once a fault.
. "$(dirname "$0")/../support/cli.sh"
run 0 sample --dim 12 --facts 20 --seed 1 -o small
run 0 sample --dim 16 --facts 70 --seed 1 -o over
"$python" - <<'END' || exit 4
import numpy as np
keys, values = np.load("small/keys.npy"), np.load("small/values.npy")
twice = keys.copy(); twice[7] = twice[3]; np.save("twice.npy", twice)
zero = keys.copy(); zero[4] = 0; np.save("zero.npy", zero)
hull = values.copy(); hull[5] = (hull[1] + hull[2]) / 2; np.save("hull.npy", hull)
np.savetxt("keys.txt", keys, fmt="%.9g")
END

# ---- impossible: why, what can be done, and the best memory
expect 1 "why  *facts 3 and 7 have equal keys but different values" store twice.npy small/values.npy -o m.safetensors
grep -q "drop one of the facts that contradict: 3, 7" out || fault "no rows to drop: $(cat out)"
grep -q "written to  *m.safetensors: partial, [0-9]* of 20 facts" out || fault "no partial memory: $(cat out)"
run 1 store twice.npy small/values.npy -o m.safetensors --json
is reason "facts 3 and 7 have equal keys but different values"
is rows "[3, 7]"
is exact True
is angular_margin_bound 0
is memory m.safetensors
is memory_status partial
recalled=$(number recalled)
run 1 check m.safetensors twice.npy small/values.npy --json
is recalled "$recalled"
[ "$("$python" -c 'import json, struct; f = open("m.safetensors", "rb"); n, = struct.unpack("<Q", f.read(8)); print(json.loads(f.read(n))["__metadata__"]["status"])')" = partial ] ||
    fault "the file does not say that it is partial"
run 1 store zero.npy small/values.npy -o m.safetensors --json
is rows "[4]"
expect 1 "overload chooses which to keep: about" store over/keys.npy over/values.npy -o m.safetensors
run 1 store over/keys.npy over/values.npy -o m.safetensors --json
is reason None
estimate=$(number overload_estimate)
expect 0 "facts given up .*, listed in kept.safetensors.dropped.npy" store over/keys.npy over/values.npy --overload -o kept.safetensors
run 0 store over/keys.npy over/values.npy --overload -o kept.safetensors --json
is dropped kept.safetensors.dropped.npy
near recalled "$estimate" 6 # of 70; the estimate is measured, some per cent
is status partial

# ---- the Hebbian rule is done, and undecided never speaks of a limit that was not reached
expect 1 "^done: [0-9]* of 70 facts recalled" store over/keys.npy over/values.npy --solver hebbian -o h.safetensors
run 1 store over/keys.npy over/values.npy --solver hebbian -o h.safetensors --json
is status partial
expect 1 "all 2 iterations that --max-iterations allows" store over/keys.npy over/values.npy --rank 4 --max-iterations 2 -o u.safetensors
grep -q "goes on from u.safetensors.state" out || fault "no way on: $(cat out)"
expect 1 "^undecided" store over/keys.npy over/values.npy --rank 3 -o u.safetensors
if grep -q "limit\|allows" out; then fault "a limit that was not reached: $(cat out)"; fi
grep -q "written to  *u.safetensors: partial" out || fault "undecided writes nothing: $(cat out)"
grep -q "a higher --rank" out || fault "undecided gives no advice: $(cat out)"
run 1 store small/keys.npy hull.npy -o hull.safetensors --json
holds "a mean of two candidates never wins" "r['recalled'] < 20"

# ---- the hardest facts, and those that are missed
run 0 store small/keys.npy small/values.npy -o memory.safetensors --with-values --json
holds "three hardest facts" "len(set(r['hardest'])) == 3"
first=$(report "r['hardest'][0]")
"$python" - "$first" <<'END' || fault "the hardest fact is another"
import json, struct, sys, numpy as np
f = open("memory.safetensors", "rb").read()
n, = struct.unpack("<Q", f[:8]); a, b = json.loads(f[8:8 + n])["W"]["data_offsets"]
W = np.frombuffer(f[8 + n + a:8 + n + b], "<f4").reshape(12, 12).astype("f8")
s = np.load("small/keys.npy") @ W.T @ np.load("small/values.npy").T
gap = np.diag(s) - np.where(np.eye(20) > 0, -np.inf, s).max(1)
assert gap.argmin() == int(sys.argv[1])
END
expect 0 "hardest facts" store small/keys.npy small/values.npy -o memory.safetensors --with-values
seq 0 69 | sed 's/^/key-/' >names.txt
run 1 check h.safetensors over/keys.npy over/values.npy --missed missed.txt --labels names.txt --json
"$python" -c "
import json
r = json.load(open('out')); lines = [l.rstrip('\n').split('\t') for l in open('missed.txt')]
assert [int(i) for i, _ in lines] == r['missed'] and len(lines) == 70 - r['recalled'] > 0
assert all(name == 'key-' + i for i, name in lines)" || fault "the list of missed facts is wrong"
expect 1 "not recalled: [0-9]* (key-[0-9]*)" check h.safetensors over/keys.npy over/values.npy --labels names.txt
run 0 check memory.safetensors small/keys.npy small/values.npy --missed missed.txt
[ ! -s missed.txt ] || fault "nothing is missed, and the list is not empty"

# ---- labels are counted
seq 100 119 | sed 's/^/v-/' >labels.txt
(echo word && cat labels.txt) >headed.txt
(printf '\357\273\277' && cat labels.txt && echo) >bom.txt
head -5 labels.txt >few.txt
ask="recall memory.safetensors small/keys.npy --pick 0"
# shellcheck disable=SC2086
{
    refuse 3 "21 labels for 20 values.*'word', is a heading" $ask --labels headed.txt
    refuse 3 "5 labels for 20 values" $ask --labels few.txt
    refuse 3 "21 labels for 20 queries" $ask --query-labels headed.txt
    expect 0 "^0 -> v-100 (" $ask --labels bom.txt
}
refuse 3 "labels for 70 keys" check h.safetensors over/keys.npy over/values.npy --labels labels.txt
refuse 3 "21 labels for 20 rows" pairs small/keys.npy headed.txt few.txt -o made
refuse 3 "5 labels for 20 patterns" dense recall small/keys.npy small/keys.npy --labels few.txt

# ---- outputs are never inputs and never replace files of another kind
cp small/keys.npy k.npy
ln -s k.npy link.npy
ln k.npy hard.npy
rm -f out err
cp -r . ../"$(basename "$folder")".before
for output in k.npy ./k.npy link.npy hard.npy "$folder/small/../k.npy"; do
    refuse 2 "would overwrite the input k.npy" store k.npy small/values.npy -o "$output"
done
refuse 2 "would overwrite the input memory.safetensors" store k.npy small/values.npy --init memory.safetensors -o memory.safetensors
refuse 2 "would overwrite the input memory.safetensors:values" store k.npy memory.safetensors:values -o memory.safetensors
refuse 2 "not a memory" store k.npy small/values.npy -o labels.txt
refuse 2 "not a memory" store k.npy small/values.npy -o small/keys.npy
refuse 2 "a memory is a .safetensors file" store k.npy small/values.npy -o new.npy
refuse 2 "both write ./same.safetensors" store k.npy small/values.npy -o same.safetensors --certificate ./same.safetensors
refuse 2 "not a certificate" store k.npy small/values.npy -o new.safetensors --certificate memory.safetensors
refuse 2 "would overwrite the input" dense recall small/keys.npy k.npy -o k.npy
refuse 2 "not a NumPy array" dense recall small/keys.npy k.npy -o labels.txt
refuse 2 "would overwrite the input" recall memory.safetensors k.npy -o k.npy
refuse 2 "not a table" attention trainability --layers 2 --betas 1 --residuals 1 -o labels.txt
refuse 2 "not a table" sweep --dim 8 --load 0.3 --trials 1 --db s.db --csv labels.txt
refuse 2 "not a list" check memory.safetensors k.npy small/values.npy --missed labels.txt
refuse 2 "would overwrite the input" pairs small/keys.npy labels.txt few.txt -o small
mkdir taken && echo "mine" >taken/keys.npy
refuse 2 "not a NumPy array" sample --dim 8 --facts 5 -o taken
rm -r taken
rm -f out err s.db
diff -r . ../"$(basename "$folder")".before >/dev/null || fault "a refused output changed a file: $(diff -r . ../"$(basename "$folder")".before)"
rm -rf ../"$(basename "$folder")".before
run 0 store small/keys.npy small/values.npy -o memory.safetensors --with-values # its own kind may be replaced

# ---- queries from streams, answers in files, labels with commas
run 0 recall memory.safetensors small/keys.npy --top 2 --json
mv out wanted
for stream in small/keys.npy keys.txt; do
    # shellcheck disable=SC2002
    cat "$stream" | "$ireneo" recall memory.safetensors - --top 2 --json >out || fault "$stream from a pipe"
    "$python" -c "
import json
a, b = ([[x['index'] for x in json.loads(l)['answers']] for l in open(f)] for f in ('out', 'wanted'))
assert a == b and len(a) == 20" || fault "$stream from a pipe: other answers"
done
mkfifo pipe
cat small/keys.npy >pipe &
started
run 0 recall memory.safetensors pipe --top 2 --json
cmp -s out wanted || fault "other answers from a named pipe"
echo "1 2 three" | "$ireneo" recall memory.safetensors - >out 2>err
[ $? -eq 3 ] || fault "a word among numbers is taken"
grep -q "standard input.*'three' is not a number" err || fault "a word among numbers: $(cat err)"
"$ireneo" recall memory.safetensors - </dev/null >out 2>err
[ $? -eq 3 ] || fault "an empty stream is taken"
run 0 recall memory.safetensors small/keys.npy --top 2 -o answers.npy
run 0 recall memory.safetensors small/keys.npy --top 2 -o answers.safetensors --json
is queries 20
"$python" - <<'END' || fault "the answers in files differ from those printed"
import json, struct, numpy as np
index, score = np.load("answers.npy"), np.load("answers.scores.npy")
assert index.dtype == np.int64 and score.dtype == np.float32 and index.shape == score.shape == (20, 2)
for line in map(json.loads, open("wanted")):
    assert [a["index"] for a in line["answers"]] == list(index[line["query"]])
    assert np.allclose([a["score"] for a in line["answers"]], score[line["query"]])
f = open("answers.safetensors", "rb").read()
n, = struct.unpack("<Q", f[:8]); a, b = json.loads(f[8:8 + n])["indices"]["data_offsets"]
assert np.array_equal(np.frombuffer(f[8 + n + a:8 + n + b], "<i8").reshape(20, 2), index)
END
(echo 'Washington, D.C.' && echo 'the "big" one' && seq 3 20) >commas.txt
run 0 recall memory.safetensors small/keys.npy --query-labels commas.txt --pick '"Washington, D.C.",5,"the ""big"" one"'
[ "$(sed 's/ ->.*//' out)" = 'Washington, D.C.
5
the "big" one' ] || fault "labels with commas: $(cat out)"

# ---- capacity says no
expect 1 "5 000 facts do not fit" capacity --dim 100 --facts 5000
grep -q "among 5 000 candidates" out || fault "the heading speaks of other candidates: $(head -1 out)"
run 1 capacity --dim 100 --facts 5000 --json
is verdict "do not fit"
is rank_needed 0
dim=$(number dim_needed)
run 0 capacity --dim "$dim" --facts 5000 --json
is verdict fit
run 0 capacity --dim $((dim - 1)) --facts 5000 --json
holds "one dimension less is not sure" "r['probability_all_fit'] < 0.95"
run 0 capacity --for-facts 5000 --json
is dim_in "$dim"
run 1 capacity --dim 100 --rank 10 --facts 600 --json
run 0 capacity --dim 100 --rank "$(number rank_needed)" --facts 600 --json
is verdict fit
refuse 2 "leave out --dim" capacity --for-facts 10 --dim 5

# ---- a reader that has seen enough
"$python" - "$ireneo" <<'END' || fault "a pipe that its reader closes"
import subprocess, sys
import numpy as np
draw = np.random.default_rng(3)
for name in ("k", "v"):
    np.save(name + ".npy", draw.standard_normal((9, 6)).astype(np.float32))
np.save("q.npy", draw.standard_normal((60000, 6)).astype(np.float32))
subprocess.run([sys.argv[1], "store", "k.npy", "v.npy", "-o", "few.safetensors"], stdout=subprocess.DEVNULL, check=True)
child = subprocess.Popen([sys.argv[1], "recall", "few.safetensors", "q.npy", "--values", "v.npy"], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
assert child.stdout.readline().startswith(b"0 -> ")
child.stdout.close()
said = child.stderr.read()
assert (child.wait(), said) == (4, b""), (child.wait(), said)
END

# ---- sweep: what a store holds, and ranks as numbers, as everywhere, or as shares
run 0 sweep --dim 12 --load 0.3 --trials 2 --rank 1 --rank-share 0.5,1 --solver hebbian --db s.db
grep -q " full " out || fault "full rank is not called so: $(cat out)"
run 0 sweep --db s.db --csv -
[ "$(wc -l <out)" -eq 7 ] || fault "an export of 6 trials has $(wc -l <out) lines"
"$python" -c "
import csv
rows = list(csv.DictReader(open('out')))
assert sorted({r['rank'] for r in rows}) == ['0', '1', '6'] and all(r['version'] and r['finished'] for r in rows)" ||
    fault "the export lacks ranks or versions"
expect 0 "6 trials of s.db" sweep --db s.db --csv all.csv
refuse 4 "missing.db" sweep --db missing.db --csv -
[ ! -e missing.db ] || fault "an export made a store"
refuse 3 "not a store" sweep --db labels.txt --csv -

# ---- progress and Ctrl-C on a terminal: counts that never go back, and the command that goes on
run 0 sample --dim 80 --facts 1600 --seed 1 -o large
cat >terminal.py <<'END'
import os, pty, re, signal, sys
child, master = pty.fork()
if child == 0:
    os.execv(sys.argv[1], ["ireneo", "store", "large/keys.npy", "large/values.npy", "--overload", "--threads", "1",
                           "-o", "large one.safetensors"])
seen, stopped = b"", False
while True:
    try:
        block = os.read(master, 4096)
    except OSError:
        break
    if not block:
        break
    seen += block
    if seen.count(b"storing facts") >= 8 and not stopped:
        os.kill(child, signal.SIGINT)
        stopped = True
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
text = seen.decode()
print(text)
if stopped and code == 130:
    counts = [int(c.replace(" ", "")) for c in re.findall(r"storing facts: ([\d ]+) of 1 600", text)]
    assert len(counts) >= 8 and counts == sorted(counts), counts
    assert "ireneo store large/keys.npy large/values.npy --overload --threads 1 -o 'large one.safetensors' --resume" in text
else:  # a machine that is done before it was asked to stop
    assert code == 0, code
END
if has_terminals; then
    "$python" terminal.py "$ireneo" >terminal || fault "the terminal: $(cat terminal)"
fi

finish "the first hour, linear: all as it should be"
