# Share of facts recalled against the number of facts, real word vectors. Expects: law.
set xlabel "facts offered (100-dimensional word vectors, 10 085 candidates)"
set ylabel "share recalled"
set yrange [0:1.05]
set xrange [0:*]
set key left bottom Left reverse noopaque
set arrow from law, graph 0 to law, graph 1 nohead lc rgb grey lw 2 dt 3
set label "capacity law" at law, graph 0.72 right offset -0.8,0 tc rgb "#555555"
plot "recall.csv" using 1:3 skip 1 with linespoints lt 1 lw 3 ps 0.9 title "Ireneo", \
     "" using 1:4 skip 1 with linespoints lt 2 ps 0.9 title "Hebbian rule (whitened vectors)", \
     "" using 1:5 skip 1 with lines lt 8 dt 2 title "Hebbian rule on random data (theory)"
