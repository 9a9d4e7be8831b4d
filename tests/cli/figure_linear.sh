#!/bin/sh
# Figures of the linear memory through the program: files, pictures, and that a second run computes nothing.
. "$(dirname "$0")/../support/cli.sh"

command -v gnuplot >/dev/null || { echo "gnuplot is not installed: skipped"; exit 0; }

for name in linear_c2 linear_d1; do
    run 0 figure $name --quick -o pictures
    for ending in svg png pdf csv; do [ -s "pictures/$name.$ending" ] || fault "$name.$ending is missing"; done
done

# The Hebbian rule at d = 50: measured accuracy within 0.05 of the formula beyond a load of 0.3.
awk -F, 'NR == FNR { if ($1 == 50) law[sprintf("%.2f", $2)] = $3; next }
         $2 == 50 && $4 > 0.3 { key = sprintf("%.2f", $4); if (key in law) { n++; d = $6 - law[key]; if (d < -0.05 || d > 0.05) bad++ } }
         END { exit !(n >= 8 && bad == 0) }' "pictures/linear_d1_law.csv" "pictures/linear_d1_accuracy.csv" ||
    fault "Hebbian accuracy is far from its formula"

# The same seed gives the same data, from the store or anew.
cp "pictures/linear_d1_accuracy.csv" "first.csv"
"$ireneo" figure linear_d1 --quick -o pictures >/dev/null || fault "second run"
cmp -s "first.csv" "pictures/linear_d1_accuracy.csv" || fault "the second run differs"
"$ireneo" figure linear_d1 --quick -o "other" --threads 1 --db "other.db" >/dev/null || fault "another store"
for file in first.csv other/linear_d1_accuracy.csv; do cut -d, -f1-10 "$file" >"${file##*/}.cut"; done
cmp -s "first.csv.cut" "linear_d1_accuracy.csv.cut" || fault "another store gives other data"

echo "not a database, only a few words in a file that should be one" >"bad.db"
refuse 3 "not a store" figure linear_d1 --quick -o pictures --db bad.db

# Sizes of one's own reach the trials, and the file says what it holds.
run 0 figure linear_2 --quick --dim 8,12 --load 0.2:0.8:4 --trials 2 -o own
"$python" - <<'END' || fault "own sizes: $(cat own/linear_2.csv)"
lines = [line for line in open("own/linear_2.csv").read().split("\n") if line]
names, notes = lines[0].split(","), [line for line in lines if line.startswith("#")]
rows = [dict(zip(names, line.split(","))) for line in lines[1:] if not line.startswith("#")]
assert len(rows) == 18 * 4 and {r["dim"] for r in rows} == {"8", "12"} and {r["draws"] for r in rows} == {"2"}, rows
assert all(abs(float(r["load"]) - x) < 0.08 for r, x in zip(rows, (0.2, 0.4, 0.6, 0.8))), rows[:4]
assert all(any(name in note for note in notes) for name in ("draws", "spread", "all", "loss", "load", "rank", "seconds")), notes
END
refuse 2 "linear_1 takes 3 to 4 dimensions, not 1" figure linear_1 --dim 12 -o own
refuse 2 "capacity takes no --trials; it is for linear_1, " figure capacity --trials 2 -o own
refuse 2 "linear_4 takes no --load" figure linear_4 --load 0.2:0.8:4 -o own
refuse 2 "words takes no --dim" figure words --dim 20 -o own
refuse 2 "linear_c1 takes 2 to 8 dimensions, not 1" figure linear_c1 --dim 20 -o own
refuse 2 "overload takes at most 50 trials" figure overload --trials 51 -o own
# column FILE NAME: the values of a column, each once, in their order.
column() {
    "$python" - "$1" "$2" <<'END'
import sys
lines = [l.split(",") for l in open(sys.argv[1]).read().split("\n") if l and not l.startswith("#")]
print(*dict.fromkeys(l[lines[0].index(sys.argv[2])] for l in lines[1:]))
END
}
for line in "linear_3 --dim 10,14 --trials 2" "linear_4 --dim 16" "linear_c1 --dim 5,6,8 --trials 3" "linear_d1 --dim 9,10,11 --trials 2" \
    "law --dim 6,9 --trials 3" "overload --dim 8 --trials 2" "sequential --dim 8,10 --trials 2" "speed --dim 7,9"; do
    # shellcheck disable=SC2086
    run 0 figure $line --quick -o sizes
done
for file in sizes/*.csv; do sed -n 2p "$file" | grep -q '^# ' || fault "$file does not say what its columns are"; done
grep -q "over 2 draws" sizes/overload.csv || fault "overload.csv does not say how many draws: $(head -2 sizes/overload.csv)"
[ "$(column sizes/linear_3.csv dim)" = "10 14" ] || fault "linear_3: $(column sizes/linear_3.csv dim)"
[ "$(column sizes/linear_c1.csv dim)" = "5 6 8" ] || fault "linear_c1: $(column sizes/linear_c1.csv dim)"
[ "$(column sizes/linear_c1.csv draws)" = "3" ] || fault "linear_c1: $(column sizes/linear_c1.csv draws) draws"
[ "$(column sizes/linear_d1_accuracy.csv dim)" = "9 10 11" ] || fault "linear_d1: $(column sizes/linear_d1_accuracy.csv dim)"
[ "$(column sizes/law_chance.csv dim)" = "6 9" ] || fault "law: $(column sizes/law_chance.csv dim)"
[ "$(column sizes/sequential.csv dim)" = "8 10" ] || fault "sequential: $(column sizes/sequential.csv dim)"
[ "$(column sizes/speed.csv dim)" = "7 9" ] || fault "speed: $(column sizes/speed.csv dim)"
refuse 2 "FROM:TO:COUNT" figure linear_2 --load 0.2,0.4 -o own

# ---- rows: what a run made is drawn elsewhere without running it, and a run that was stopped goes on
run 0 figure overload --quick --dim 8 --trials 2 --rows rows.csv -o first
[ "$(grep -c '^original ' rows.csv)" -eq 42 ] || fault "rows of overload: $(wc -l <rows.csv)"
cp rows.csv rows.before
run 0 figure overload --quick --dim 8 --trials 2 --rows rows.csv -o second
cmp -s rows.csv rows.before || fault "rows that were known became others"
chmod 444 rows.csv # as in an installed data folder: nothing new, nothing to write
stamp=$(stat -c %i rows.csv)
run 0 figure overload --quick --dim 8 --trials 2 --rows rows.csv -o second
[ "$(stat -c %i rows.csv)" = "$stamp" ] || fault "rows without news were written"
chmod 644 rows.csv
cmp -s first/overload.csv second/overload.csv || fault "the rows give other data"
cmp -s first/overload.svg second/overload.svg || fault "the rows give another picture"
# Half of the rows: the rest is made; one changed outcome is seen, so rows are what is drawn.
{ head -2 rows.before; grep '^original ' rows.before | awk 'NR % 2'; } >rows.csv
run 0 figure overload --quick --dim 8 --trials 2 --rows rows.csv -o third
cut -d, -f1-9 rows.csv | sort >a && cut -d, -f1-9 rows.before | sort >b && cmp -s a b || fault "the rest of the rows differs"
awk -F, -v OFS=, '/^original hebbian/ && !done { $3 = 0; $4 = 0; done = 1 } { print }' rows.before >rows.csv
run 0 figure overload --quick --dim 8 --trials 2 --rows rows.csv -o fourth
cmp -s first/overload.csv fourth/overload.csv && fault "the rows were not used"
# Stopped: what was finished is in the rows.
interrupt '[ "$(rows trials stopped/overload.db)" -gt 1 ]' figure overload --quick --dim 40 --trials 50 --threads 1 --rows stopped.csv -o stopped
[ $got -eq 130 ] || fault "stopped: exit $got: $(cat err)"
[ "$(grep -c '^original ' stopped.csv)" -gt 1 ] || fault "stopped: $(cat err; wc -l stopped.csv)"
# A series is a row, too.
run 0 figure linear_3 --quick --dim 10,14 --trials 1 --rows spectra.csv -o spectra
grep -q "^white spectrum of original project in=14" spectra.csv || fault "no spectra: $(cut -c1-80 spectra.csv | head -4)"
cp spectra/linear_3_summary.csv spectra.before
run 0 figure linear_3 --quick --dim 10,14 --trials 1 --rows spectra.csv -o spectra.again
cmp -s spectra.before spectra.again/linear_3_summary.csv || fault "spectra from rows differ"
sed '3s/\(,,,,,,,,,,\)[^ ]*/\1nan/' spectra.csv >nan.csv
refuse 3 "is not finite" figure linear_3 --quick --dim 10,14 --trials 1 --rows nan.csv -o spectra.nan
refuse 4 "cannot write nowhere/rows.csv" figure overload --quick --dim 8 --trials 2 --rows nowhere/rows.csv -o unmade
[ -e unmade/overload.db ] && fault "trials were run before it was seen that their rows cannot be written"
echo "a,b" >other.csv
refuse 3 "does not hold the rows of trials" figure overload --quick --dim 8 --rows other.csv -o first
[ "$(cat other.csv)" = "a,b" ] || fault "a file that was refused was written"
refuse 2 "capacity takes no --rows; it is for " figure capacity --rows rows.csv -o first
refuse 2 "one figure" figure all --rows rows.csv -o first
refuse 2 "one figure" figure all --rows nowhere -o first
# A folder has a file a figure, and thresholds; figures that draw the same trials share one.
mkdir kept && cp rows.before kept/overload.csv
run 0 figure overload --quick --dim 8 --trials 2 --rows kept -o fifth
cmp -s kept/overload.csv rows.before || fault "rows of a folder that were known became others"
cmp -s first/overload.csv fifth/overload.csv || fault "the rows of a folder give other data"
run 0 figure linear_4 --quick --dim 8 --rows kept -o fifth
cp kept/linear_4.csv linear_4.before
run 0 figure linear_a2 --quick --dim 8 --rows kept -o fifth
cmp -s kept/linear_4.csv linear_4.before || fault "linear_a2 ran the trials of linear_4 again"
[ -e kept/linear_a2.csv ] && fault "linear_a2 has rows of its own"
refuse 2 "capacity takes no --rows; it is for " figure capacity --rows kept -o fifth
refuse 2 "leave it out" figure all --rows kept --db one.db -o fifth
# Thresholds of a sweep are drawn as they are.
run 0 sweep --problem both --dim 6,9 --threshold --trials 3 --db t.db --csv thresholds.csv
cp thresholds.csv thresholds.before
run 0 figure law --quick --dim 6,9 --trials 2 --thresholds thresholds.csv --rows law.csv -o law
[ "$(column law/law.csv draws)" = "3 2" ] || fault "law does not take the thresholds: $(cat law/law.csv)"
cmp -s thresholds.csv thresholds.before || fault "thresholds were written over"
refuse 2 "overload takes no --thresholds; it is for linear_c1, law" figure overload --thresholds thresholds.csv -o law
refuse 3 "no column 'problem'" figure law --thresholds rows.before -o law
cp thresholds.csv kept
run 0 figure law --quick --dim 6,9 --trials 2 --rows kept -o folder
[ "$(column folder/law.csv draws)" = "3 2" ] || fault "law does not take the thresholds of the folder: $(cat folder/law.csv)"
grep -q "6 (3), 9 (3)" law/law_note.txt || fault "the note of law: $(cat law/law_note.txt)"
grep -q "<desc>Left, d (draws): original 6 (3), 9 (3)" law/law.svg || fault "law.svg does not say what it is"

# ---- every picture says its sizes and draws, keeps its texts inside, and has bars that end at 0 and 1
mkdir made && cp sizes/*.svg pictures/linear_c2.svg made
"$python" "$root/tests/docs/pictures_test.py" made || fault "pictures"

# ---- a picture is drawn whole or stays as it was
run 0 figure capacity --quick -o whole
cp whole/capacity.svg before.svg
mkdir scripts
cp "$IRENEO_FIGURES/style.gp" scripts
{ cat "$IRENEO_FIGURES/capacity.gp"; echo 'plot "missing.csv"'; } >scripts/capacity.gp
IRENEO_FIGURES=$folder/scripts "$ireneo" figure capacity --quick -o whole >out 2>err
[ $? -eq 4 ] && grep -q "gnuplot failed" err || fault "a script that fails: $(cat out err)"
cmp -s whole/capacity.svg before.svg || fault "a script that failed left half a picture"

finish "linear figures: all good"
