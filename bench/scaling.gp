# Time of a store at 0.95 of the law against d, one line a path of the processor, beside one plain pass; from scaling.csv.
set logscale xy
set xlabel "dimension d  (0.95 of capacity)"
set ylabel "seconds, all cores"
set format y "10^{%T}"
set xtics (50, 70, 100, 140, 200, 280, 400, 700, 1000)
set key left top reverse Left samplen 2 noopaque
line(x) = a * x + b
set fit quiet logfile "/dev/null"
stats "scaling.csv" skip 1 using 1 nooutput
set xrange [0.9*STATS_min:1.15*STATS_max]
columns = int(system("head -n 1 scaling.csv | tr ',' '\n' | wc -l"))
title_of(k) = system(sprintf("head -n 1 scaling.csv | cut -d, -f%d", k))
array slope[columns]
do for [k=2:columns] {
    a = 3; b = -20
    fit [log(95):] line(x) "scaling.csv" skip 1 using (log($1)):(log(column(k))) via a, b
    slope[k] = a
}
plot for [k=3:columns] "scaling.csv" skip 1 using 1:k with linespoints lt k-2 title sprintf("store, %s: d^{%.2f}", title_of(k), slope[k]), \
     "" skip 1 using 1:2 with linespoints lt 8 dt 2 title sprintf("one plain sgemm pass: d^{%.2f}", slope[2])
