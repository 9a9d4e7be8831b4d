#!/bin/sh
# Figure "entropy" through the program: files, rows that a stopped run goes on from, bad rows.
. "$(dirname "$0")/../support/cli.sh"

command -v gnuplot >/dev/null || { echo "gnuplot is not installed: skipped"; exit 0; }

run 0 figure entropy --quick --dim 4,5 --trials 2 -o pictures
for ending in svg png pdf csv; do [ -s "pictures/entropy.$ending" ] || fault "entropy.$ending is missing"; done
"$python" - <<'END' || fault "rows: $(cat pictures/entropy_rows.csv)"
import csv
rows = list(csv.DictReader(line for line in open("pictures/entropy_rows.csv") if not line.startswith("#")))
groups = {(r["problem"], r["dim"], r["rank"]) for r in rows}
assert groups == {(p, d, d) for p in ("original", "decoupled") for d in "45"} | {("decoupled", "5", "2")}, groups
for g in groups:
    for draw in "01":
        facts = [r for r in rows if (r["problem"], r["dim"], r["rank"]) == g and r["draw"] == draw]
        entropies = [float(r["entropy"]) for r in facts]
        assert facts[0]["facts"] == "0" and entropies[0] == 0.0 and len(facts) > 2, facts
        assert all(a >= b for a, b in zip(entropies, entropies[1:])), entropies # more facts, fewer solutions
law = [line.split(",") for line in open("pictures/entropy_law.csv") if line[0].isdigit()]
assert {(r[5], r[6].strip()) for r in law} == {("1", "10"), ("0.5", "10"), ("1", "0"), ("0.5", "0")}, law[:3]
END

# What is there is kept, what is missing is made again, to the digit: on one thread as on two.
sort pictures/entropy_rows.csv >all.csv
grep -v "^original,5,5" pictures/entropy_rows.csv >some.csv
cp some.csv pictures/entropy_rows.csv
run 0 figure entropy --quick --dim 4,5 --trials 2 --threads 1 -o pictures
sort pictures/entropy_rows.csv | cmp -s all.csv - || fault "a run that goes on ends elsewhere"

# The shipped rows draw the figure without a walk.
run 0 figure entropy --quick -o shipped
[ -e shipped/entropy_rows.csv ] && fault "the quick figure walked"
"$python" - <<'END' || fault "points: $(cat shipped/entropy.csv)"
import csv
rows = list(csv.DictReader(line for line in open("shipped/entropy.csv") if not line.startswith("#")))
assert {r["dim"] for r in rows} == {"8", "12", "16"} and {r["rank"] for r in rows} == {"8", "12", "16"}, rows[:3]
assert any(r["dim"] == "16" and r["rank"] == "8" for r in rows)
END

echo "decoupled,4,4,ten" >>pictures/entropy_rows.csv
refuse 3 "is no row of a walk" figure entropy --quick --dim 4,5 --trials 2 -o pictures
refuse 2 "entropy takes at most 64 trials" figure entropy --trials 65 -o pictures
finish "figure entropy: all good"
