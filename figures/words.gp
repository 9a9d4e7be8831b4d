array counts[2]
array fits[2]
do for [i=0:1] { stats "words.csv" skip 1 index i using 1 nooutput; counts[i+1] = STATS_min; stats "words.csv" skip 1 index i using 2 nooutput; fits[i+1] = STATS_min }
set xlabel "facts / facts that fit by the law" offset 0,0.3
set ylabel "share of facts recalled" offset 1,0
set xrange [0.25:1.2]
set yrange [0:1.04]
set key at graph 0.99,0.86 right top samplen 2 noopaque font ",11"
set arrow 1 from 1,0 to 1,1.04 nohead dt 3 lc rgb grey
plot for [i=0:1] "words.csv" skip 1 index i using 4:5 with linespoints lt i+1 lw 2.5 title sprintf("Ireneo, %d candidates (law: %.0f facts)", counts[i+1], fits[i+1]), \
     for [i=0:1] "" skip 1 index i using 4:7 with linespoints lt i+1 dt 2 lw 1.5 pt 6 title sprintf("Hebbian rule, whitened, %d candidates", counts[i+1]), \
     for [i=0:1] "" skip 1 index i using 4:5:(low($5, $8)):(high($5, $8)) with yerrorbars lt i+1 lw 1.3 ps 0.01 notitle, \
     for [i=0:1] "" skip 1 index i using 4:7:(low($7, $9)):(high($7, $9)) with yerrorbars lt i+1 lw 1.3 ps 0.01 notitle
