#!/bin/sh
# Figures of the linear memory through the program: files, pictures, and that a second run computes nothing.
set -u
ireneo=$1
folder=$(mktemp -d /tmp/ireneo-figure-XXXXXX)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

command -v gnuplot >/dev/null || { echo "gnuplot is not installed: skipped"; exit 0; }

for name in linear_c2 linear_d1; do
    "$ireneo" figure $name --quick -o "$folder/out" >"$folder/log" 2>"$folder/err" || fail "$name: $(cat "$folder/err")"
    [ -s "$folder/err" ] && fail "$name: $(cat "$folder/err")"
    for ending in svg png pdf csv; do [ -s "$folder/out/$name.$ending" ] || fail "$name.$ending is missing"; done
done

# The Hebbian rule at d = 50: measured accuracy within 0.05 of the formula beyond a load of 0.3.
awk -F, 'NR == FNR { if ($1 == 50) law[sprintf("%.2f", $2)] = $3; next }
         $2 == 50 && $4 > 0.3 { key = sprintf("%.2f", $4); if (key in law) { n++; d = $6 - law[key]; if (d < -0.05 || d > 0.05) bad++ } }
         END { exit !(n >= 8 && bad == 0) }' "$folder/out/linear_d1_law.csv" "$folder/out/linear_d1_accuracy.csv" ||
    fail "Hebbian accuracy is far from its formula"

# The same seed gives the same data, from the store or anew.
cp "$folder/out/linear_d1_accuracy.csv" "$folder/first.csv"
"$ireneo" figure linear_d1 --quick -o "$folder/out" >/dev/null || fail "second run"
cmp -s "$folder/first.csv" "$folder/out/linear_d1_accuracy.csv" || fail "the second run differs"
"$ireneo" figure linear_d1 --quick -o "$folder/other" --threads 1 --db "$folder/other.db" >/dev/null || fail "another store"
for file in first.csv other/linear_d1_accuracy.csv; do cut -d, -f1-10 "$folder/$file" >"$folder/${file##*/}.cut"; done
cmp -s "$folder/first.csv.cut" "$folder/linear_d1_accuracy.csv.cut" || fail "another store gives other data"

echo "not a database, only a few words in a file that should be one" >"$folder/bad.db"
"$ireneo" figure linear_d1 --quick -o "$folder/out" --db "$folder/bad.db" >/dev/null 2>"$folder/err"
[ $? -eq 3 ] || fail "a bad store: exit code"
grep -q "not a store" "$folder/err" || fail "a bad store: $(cat "$folder/err")"

[ $failures -eq 0 ] && echo "linear figures: all good"
[ $failures -eq 0 ]
