eval canvas(800, 390)
array loads[3]
array dims[3]
do for [i=0:2] { stats "linear_d1.csv" skip 1 index i using 1 nooutput; loads[i+1] = STATS_min }
do for [i=0:2] { stats "linear_d1_law.csv" skip 1 index i using 1 nooutput; dims[i+1] = STATS_min }
set multiplot layout 1,2 margins 0.08,0.985,up(0.15),up(0.9) spacing 0.085,0.1
set title "scores of the Hebbian rule"
set xlabel "score / off-target spread" offset 0,0.3
set ylabel "density" offset 2,0
set xrange [-4:13]
set yrange [0:0.66]
set ytics 0.2
set style fill solid 0.4 noborder
set key right top samplen 1.5 noopaque
plot "linear_d1.csv" skip 1 index 0 using 2:3 with filledcurves y1=0 lc rgb "#cccccc" title "off-target", \
     for [i=0:2] "" skip 1 index i using 2:($4 > 0.002 ? $4 : NaN) with points lt i+1 ps 0.6 title sprintf("target, α = %.3g", loads[i+1]), \
     for [i=0:2] "" skip 1 index i using 2:6 with lines lt i+1 lw 1.5 notitle, \
     "" skip 1 index 0 using 2:5 with lines lt 7 lw 1.2 title "normal laws"
unset label 900
set title "accuracy of the Hebbian rule"
set xlabel "load  α = p log p / d²"
set ylabel "share of facts recalled"
set xrange [0:1]
set yrange [0:1.04]
set arrow 1 from 0.125,0 to 0.125,1.04 nohead dt 3 lc rgb grey
set label 1 "1/8" at 0.135,0.06 tc rgb "#666666"
plot for [i=0:2] "linear_d1_law.csv" skip 1 index i using 2:3 with lines lt i+1 lw 1.5 notitle, \
     for [i=0:2] "linear_d1_accuracy.csv" skip 1 index i using 4:6:(low($6, $7)):(high($6, $7)) with yerrorbars lt i+1 ps 0.5 lw 1.2 title sprintf("d = %d", dims[i+1]), \
     NaN with lines lc rgb "#444444" lw 1.5 title "formula"
unset multiplot
