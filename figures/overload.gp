set xlabel "facts offered / facts that fit" offset 0,0.3
set ylabel "facts recalled" offset 1,0
set xrange [0.7:5.2]
set yrange [0:*]
set key at graph 0.98,0.46 right top samplen 2 noopaque
above(mean, bar) = mean - bar < 0 ? 0 : mean - bar
plot "overload.csv" skip 1 using 1:3 with linespoints lt 1 lw 2.5 title "Ireneo, choosing what to keep", \
     "" skip 1 using 1:6 with lines lt 8 dt 2 lw 1.5 title "law for facts at random", \
     "" skip 1 using 1:4 with linespoints lt 2 title "minimum of the cross-entropy", \
     "" skip 1 using 1:5 with linespoints lt 4 title "Hebbian rule", \
     for [k=3:5] "" skip 1 using 1:(column(k)):(above(column(k), column(k+4))):(column(k) + column(k+4)) with yerrorbars lt (k == 3 ? 1 : k == 4 ? 2 : 4) ps 0.01 lw 1.3 notitle
