#!/bin/sh
# The first hour with a dense memory, on the word vectors that come with the program: defaults answer, the report is
# about these patterns, and what it promises holds.
. "$(dirname "$0")/../support/cli.sh"
words=$IRENEO_DATA/words-100d.npy labels=$IRENEO_DATA/words.txt

# A few noisy words, and the number of the word in each query of the larger files.
"$python" - "$words" <<'PY' || exit 4
import sys
import numpy as np
x = np.load(sys.argv[1])
rng = np.random.default_rng(20)
rows = rng.permutation(len(x))[:1000]
np.save("rows.npy", rows)
noise = 0.5 * np.sqrt((x.astype(float) ** 2).mean())
np.save("noisy.npy", (x[rows] + noise * rng.normal(size=(1000, 100))).astype(np.float32))
np.save("three.npy", (x[rows[:3]] + 0.1 * rng.normal(size=(3, 100))).astype(np.float32))
np.save("few.npy", x[:500])
PY
label() { sed -n "$(($("$python" -c "import numpy as np; print(np.load('rows.npy')[$1])") + 1))p" "$labels"; }

under="dense recall"

# 1-6: the answer first, a verdict, energies last; the report is about these patterns, then about random ones.
expect 0 "^query 0: [0-9]* $(label 0) (1).*: retrieved; .*energy" "$words" three.npy --labels "$labels" --top 2 --sample 64
cp out text
for pattern in "^3 retrieved, 0 mixtures, 0 lost; 3 of 3 queries converged" "these patterns, normalised (64 of 10 085 looked at)" \
    "100.0 % stay put" "degrees away in a random direction (.* % come back)" "for comparison, random patterns of this size"; do
    grep -q -- "$pattern" text || fault "no '$pattern' in: $(cat text)"
done
[ "$(grep -n 'these patterns' text | cut -d: -f1)" -lt "$(grep -n 'random patterns of' text | cut -d: -f1)" ] ||
    fault "random patterns come before these"

# 7-12: 1000 noisy words with defaults, and 1000 within the promised angle, in random directions and in the worst.
run 0 "$words" noisy.npy --json
cp out noisy.json
"$python" - "$words" <<'PY' || fault "1000 noisy words with defaults"
import json, sys
import numpy as np
*lines, summary = [json.loads(line) for line in open("noisy.json")]
rows, audit = np.load("rows.npy"), summary["audit"]
right = np.mean([line["answers"][0]["index"] == row for line, row in zip(lines, rows)])
assert right >= 0.99, right
assert all(line["verdict"] in ("retrieved", "mixture", "lost") for line in lines)
counts = [sum(line["verdict"] == word for line in lines) for word in ("retrieved", "mixture", "lost")]
assert counts == [summary["retrieved"], summary["mixtures"], summary["lost"]] and sum(counts) == 1000
wrong = sum(line["verdict"] == "retrieved" and line["answers"][0]["index"] != row for line, row in zip(lines, rows))
assert wrong <= 10, wrong
assert audit["stay"] >= 0.99 and audit["audited"] >= 900 and audit["patterns"] == 10085
assert audit["worst_least"] < audit["worst_median"] < audit["random_angle"] < summary["theta_c"]
# What is promised, tried: angles up to the promised ones.
x = np.load(sys.argv[1]).astype(float)
x *= 10 / np.linalg.norm(x, axis=1, keepdims=True)
rng = np.random.default_rng(21)
def leave(towards, angles):
    xi = x[rows]
    across = towards - (towards * xi).sum(1, keepdims=True) / 100 * xi
    across *= 10 / np.linalg.norm(across, axis=1, keepdims=True)
    return (np.cos(angles) * xi + np.sin(angles) * across).astype(np.float32)
np.save("promised.npy", leave(rng.normal(size=(1000, 100)), rng.uniform(0, audit["random_angle"], (1000, 1))))
scores = x[rows] @ x.T
scores[np.arange(1000), rows] = -np.inf
half = np.arccos(scores.max(1, keepdims=True) / 100) / 2
np.save("inside.npy", leave(x[scores.argmax(1)], 0.95 * half))
np.save("outside.npy", leave(x[scores.argmax(1)], 1.05 * half))
PY
# right FILE: the share of its queries that end, retrieved, at their word; with the lambda of the defaults.
right() {
    run 0 "$words" "$1" --no-audit --lambda "$lambda" --json
    "$python" -c "
import json
import numpy as np
lines = [json.loads(line) for line in open('out')][:-1]
print(np.mean([l['answers'][0]['index'] == r and l['verdict'] == 'retrieved' for l, r in zip(lines, np.load('rows.npy'))]))"
}
lambda=$("$python" -c "import json; print(json.loads(open('noisy.json').readlines()[-1])['lambda'])")
at_least() { "$python" -c "raise SystemExit(not $1 >= $2)" || fault "$3: $1 instead of at least $2"; }
at_least "$(right promised.npy)" 0.99 "queries within the promised angle"
at_least "$(right inside.npy)" 0.99 "queries towards the nearest word, not half way"
at_least "1 - $(right outside.npy)" 0.99 "queries that are nearer to another word"

# 13-15: lost and mixed queries are called so; raw vectors draw a word about lengths.
expect 0 ": lost; " "$words" three.npy --lambda 0.1 --no-audit
"$ireneo" dense recall "$words" few.npy --lambda 0.4 --no-audit --json >out 2>err || fault "recall of stored words"
grep -q '"verdict": "mixture"' out || fault "no mixture among common words at a small lambda"
expect 0 "lengths differ by a factor 4.1" "$words" three.npy --raw --sample 64

# 16-18: ways to prepare: normalised is the default, whitened retrieves too, and two at once are refused.
run 0 "$words" three.npy --normalise --no-audit --json
grep -v seconds out >named
run 0 "$words" three.npy --no-audit --json
grep -v seconds out | cmp -s - named || fault "--normalise is not the default"
expect 0 "^3 retrieved" "$words" three.npy --whiten --sample 64
refuse 2 "give one of --normalise, --whiten and --raw" "$words" three.npy --whiten --raw

# 19-24: the audit by itself.
under="dense audit"
expect 0 "the closest pair, [a-z]* and [a-z]*, [0-9.]*$" "$words" --labels "$labels" --sample 200
expect 0 "all 500 looked at" few.npy
run 0 few.npy --json
cp out few.json
run 0 few.npy --json --threads 1
"$python" - <<'PY' || fault "the audit against NumPy, and threads"
import json
import numpy as np
got, one = json.load(open("few.json")), json.load(open("out"))
assert {**got, "seconds": 0} == {**one, "seconds": 0}
x = np.load("few.npy").astype(float)
assert abs(got["shortest_pattern"] - np.linalg.norm(x, axis=1).min()) < 1e-4
x /= np.linalg.norm(x, axis=1, keepdims=True)
nearest = np.arccos((x @ x.T - 3 * np.eye(500)).max(1))
assert abs(got["nearest_least"] - nearest.min()) < 1e-5 and abs(got["nearest_median"] - np.median(nearest)) < 1e-5
assert got["audited"] == got["staying"] == 500 and abs(got["worst_least"] - nearest.min() / 2) < 1e-5
PY
expect 0 "stay put" few.npy --raw --lambda 2
refuse 2 "belongs to the rule softmax" few.npy --rule sign --lambda 2
refuse 3 "500 patterns" few.npy --labels "$labels"
refuse 4 "absent.npy" absent.npy

finish "first hour with dense memories: all fine"
