eval canvas(800, 390)
array dims[7]
do for [i=0:6] { stats "linear_1.csv" skip 1 index i using 2 nooutput; dims[i+1] = STATS_min }
set multiplot layout 1,2 margins 0.075,0.985,up(0.14),up(0.91) spacing 0.055,0.1
set xlabel "load  α = p log p / d²" offset 0,0.3
set xrange [0:1.35]
set xtics 0.2
set yrange [0:1.05]
set ytics 0.2
set arrow 1 from 0.5,0 to 0.5,1.05 nohead dt 3 lc rgb grey
set label 1 "d → ∞" at 0.49,0.06 right tc rgb "#666666"
set key left bottom reverse Left samplen 2 at 0.03,0.12 noopaque
set title "original problem: shared candidates"
set ylabel "share of facts recalled" offset 1.3,0
plot for [i=0:2] "linear_1_law.csv" skip 1 index i using 2:3 with lines lt i+1 dt 2 lw 1.3 notitle, \
     for [i=0:2] "linear_1.csv" skip 1 index i using 4:6 with lines lt i+1 notitle, \
     for [i=0:2] "" skip 1 index i using 4:6:(low($6, $7)):(high($6, $7)) with yerrorbars lt i+1 lw 1.3 ps 0.6 title sprintf("Adam, d = %d", dims[i+1]), \
     "linear_1.csv" skip 1 index 6 using 4:6 with lines lt 7 lw 1.5 notitle, \
     "" skip 1 index 6 using 4:6:(low($6, $7)):(high($6, $7)) with yerrorbars lt 7 lw 1.3 pt 13 ps 0.6 title sprintf("Ireneo, d = %d", dims[7])
unset label 900
set title "decoupled problem: own candidates"
unset ylabel
unset key
plot for [i=0:2] "linear_1_law.csv" skip 1 index i+3 using 2:3 with lines lt i+1 dt 2 lw 1.3, \
     for [i=0:2] "linear_1.csv" skip 1 index i+3 using 4:6 with lines lt i+1, \
     for [i=0:2] "" skip 1 index i+3 using 4:6:(low($6, $7)):(high($6, $7)) with yerrorbars lt i+1 lw 1.3 ps 0.6
unset multiplot
