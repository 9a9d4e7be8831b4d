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

finish "linear figures: all good"
