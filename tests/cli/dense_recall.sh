#!/bin/sh
# ireneo dense recall through the program: answers, files, JSON, bad input.
. "$(dirname "$0")/../support/cli.sh"
under="dense recall"

"$python" - <<'PY' || exit 4
import numpy as np
r = np.random.default_rng(3)
x = r.standard_normal((400, 50)).astype(np.float32)
x /= np.sqrt((x**2).mean(1, keepdims=True))
np.save("patterns.npy", x)
np.save("queries.npy", x[:30] + 0.4 * r.standard_normal((30, 50)).astype(np.float32))
np.save("long.npy", 7 * x)
np.save("narrow.npy", x[:, :49])
bad = x.copy(); bad[17, 3] = np.nan; np.save("nan.npy", bad)
bad = x.copy(); bad[21] = 0; np.save("zero.npy", bad)
np.save("huge.npy", 1e20 * x)
np.save("empty.npy", x[:0])
np.save("one.npy", x[:1])
open("labels.txt", "w").write("".join(f"name{i}\n" for i in range(400)))
open("few.txt", "w").write("a\nb\n")
PY

expect 0 "30 of 30 queries converged" patterns.npy queries.npy
expect 0 "a query may be" patterns.npy queries.npy
expect 0 "^query 7: 7 name7 .*: retrieved" patterns.npy queries.npy --labels labels.txt --top 2
expect 0 "polynomial, degree 8" patterns.npy queries.npy --rule polynomial --degree 8
expect 0 "P / N = 8" patterns.npy queries.npy --rule sign
expect 0 "converged" patterns.npy queries.npy --lambda 1e6
expect 0 "converged" patterns.npy queries.npy --lambda 1e30
expect 0 "converged" patterns.npy queries.npy --rule polynomial --degree 1000
expect 0 "nothing would be retrieved" patterns.npy queries.npy --lambda 0.01
expect 0 "lost; 0 steps" patterns.npy queries.npy --steps 0 --lambda 0.001
expect 0 "converged" one.npy one.npy
expect 0 "usage" --help

# The state that is written is the pattern; JSON has one line a query and one for all; the theory scales with the
# length of the patterns; threads change nothing.
"$ireneo" dense recall patterns.npy queries.npy --raw --lambda 1 --top 1 -o out.npy --json >lines || fault "recall with JSON"
"$ireneo" dense recall long.npy queries.npy --lambda 1 --top 1 --normalise -o normal.npy --json >normal || fault "normalise"
"$ireneo" dense recall long.npy queries.npy --raw --lambda 0.142857142857 --top 1 --json >long || fault "long patterns"
"$ireneo" dense recall patterns.npy queries.npy --raw --lambda 1 --top 1 -o again.npy --threads 3 --json >/dev/null || fault "threads"
cmp -s out.npy again.npy || fault "the number of threads changes the states"
"$python" - <<'PY' || fault "contents of the results"
import json
import numpy as np
lines = [json.loads(line) for line in open("lines")]
summary = lines.pop()
assert len(lines) == 30 and summary["queries"] == 30 and summary["patterns"] == 400 and summary["neurons"] == 50
assert summary["converged"] == sum(line["converged"] for line in lines)
assert abs(summary["alpha"] - np.log(400) / 50) < 1e-9
for i, line in enumerate(lines):
    assert line["query"] == i and line["answers"][0]["index"] == i and line["answers"][0]["weight"] > 0.99
    assert line["energy"] <= line["energy_before"] + 1e-4
    assert 0 < line["angle_moved"] < 1
x = np.load("patterns.npy").astype(float)
out = np.load("out.npy")
assert out.dtype == np.float32 and out.shape == (30, 50)
assert np.abs(out - x[:30]).max() < 0.05
q = np.load("queries.npy").astype(float)
for i in range(30):  # energies by the formula
    s = x @ q[i]
    e = 0.5 * q[i] @ q[i] - s.max() - np.log(np.exp(s - s.max()).sum())
    assert abs(lines[i]["energy_before"] - e) < 1e-3 * (1 + abs(e))
normal = [json.loads(line) for line in open("normal")][-1]
assert abs(normal["pattern_power"] - 1) < 1e-5
far = [json.loads(line) for line in open("long")][-1]
assert abs(far["pattern_power"] - 49) < 0.01
assert abs(far["lambda_c"] * 49 / summary["lambda_c"] - 1) < 1e-3
PY

refuse 2 "expects PATTERNS QUERIES" patterns.npy
refuse 2 "unknown option" patterns.npy queries.npy --beta 3
refuse 2 "above 0" patterns.npy queries.npy --lambda 0
refuse 2 "above 0" patterns.npy queries.npy --lambda -2
refuse 2 "takes a number" patterns.npy queries.npy --lambda nan
refuse 2 "between 2 and 1000" patterns.npy queries.npy --rule polynomial --degree 1
refuse 2 "belongs to" patterns.npy queries.npy --rule sign --lambda 2
refuse 2 "belongs to" patterns.npy queries.npy --degree 3
refuse 2 "one of" patterns.npy queries.npy --rule cubic
refuse 3 "row 17, column 3" nan.npy queries.npy
refuse 3 "row 21 is all zeros" zero.npy queries.npy
refuse 3 "row 21 is all zeros" zero.npy queries.npy --normalise
refuse 3 "queries: row 21 is all zeros" patterns.npy zero.npy
refuse 2 "one of --normalise" patterns.npy queries.npy --raw --whiten
refuse 2 "belongs to the audit" patterns.npy queries.npy --no-audit --sample 9
refuse 3 "they must agree" patterns.npy narrow.npy
refuse 3 "row 17, column 3" patterns.npy nan.npy
refuse 3 "do not fit in float32" huge.npy huge.npy
refuse 3 "empty.npy" empty.npy queries.npy
refuse 3 "2 labels for 400" patterns.npy queries.npy --labels few.txt
refuse 3 "zero bytes" patterns.npy queries.npy --labels patterns.npy
refuse 4 "absent" absent.npy queries.npy
refuse 4 "absent.txt" patterns.npy queries.npy --labels absent.txt
refuse 4 "no-such-folder" patterns.npy queries.npy -o no-such-folder/out.npy

finish "dense recall: all fine"
