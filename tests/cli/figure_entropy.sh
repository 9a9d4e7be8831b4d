#!/bin/sh
# Figure "entropy" through the program: files, rows that a stopped run goes on from, bad rows.
. "$(dirname "$0")/../support/cli.sh"

command -v gnuplot >/dev/null || { echo "gnuplot is not installed: skipped"; exit 0; }

run 0 figure entropy --quick --dim 4,5 --trials 2 --rows rows.csv -o pictures
for ending in svg png pdf csv; do [ -s "pictures/entropy.$ending" ] || fault "entropy.$ending is missing"; done
"$python" - <<'END' || fault "rows: $(cat rows.csv)"
import csv
rows = list(csv.DictReader(line for line in open("rows.csv") if not line.startswith("#")))
keys = [dict(word.split("=") for word in r["key"].split()[2:]) | {"problem": r["key"].split()[1]} for r in rows]
groups = {(k["problem"], k["dim"], k["rank"]) for k in keys}
assert groups == {(p, d, d) for p in ("original", "decoupled") for d in "45"} | {("decoupled", "5", "2")}, groups
assert len(rows) == 2 * len(groups) and len({r["key"] for r in rows}) == len(rows), rows
for r in rows:
    values = [float(v) for v in r["values"].split()]
    entropies = [e for e in values[::6] if e == e]  # NaN: no solution of so many facts was met
    assert entropies[0] == 0.0 and len(entropies) > 2, r
    assert all(a >= b for a, b in zip(entropies, entropies[1:])), entropies  # more facts, fewer solutions
law = [line.split(",") for line in open("pictures/entropy_law.csv") if line[0].isdigit()]
assert {(r[5], r[6].strip()) for r in law} == {("1", "10"), ("0.5", "10"), ("1", "0"), ("0.5", "0")}, law[:3]
END

# What is there is kept, what is missing is made again, to the digit: on one thread as on two. Another seed walks elsewhere.
cp rows.csv all.csv
grep -v "^walks original dim=5" all.csv >rows.csv
run 0 figure entropy --quick --dim 4,5 --trials 2 --threads 1 --rows rows.csv -o again
cmp -s rows.csv all.csv || fault "a run that goes on ends elsewhere"
run 0 figure entropy --quick --dim 4,5 --trials 2 --seed 2 --rows rows.csv -o again
[ "$(grep -c "^walks" rows.csv)" -eq 20 ] || fault "another seed: $(cut -d, -f1 rows.csv)"
cmp -s pictures/entropy.csv again/entropy.csv && fault "another seed has the same points"

# The shipped rows draw the figure without a walk.
run 0 figure entropy --quick -o shipped
"$python" - <<'END' || fault "points: $(cat shipped/entropy.csv)"
import csv
rows = list(csv.DictReader(line for line in open("shipped/entropy.csv") if not line.startswith("#")))
assert {r["dim"] for r in rows} == {"8", "12", "16"} and {r["rank"] for r in rows} == {"8", "12", "16"}, rows[:3]
assert any(r["dim"] == "16" and r["rank"] == "8" for r in rows)
END

sed -i '3s/,,,,,,,,,,.*/,,,,,,,,,,ten/' rows.csv
refuse 3 "values are numbers" figure entropy --quick --dim 4,5 --trials 2 --rows rows.csv -o fresh
refuse 2 "entropy takes at most 64 trials" figure entropy --trials 65 -o pictures
finish "figure entropy: all good"
