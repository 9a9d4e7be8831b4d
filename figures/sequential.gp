# The last dimension as full lines, the one before it thinner and dashed; capacity by the law as arrows.
stats "sequential_law.csv" skip 1 using 3 nooutput
dims = int(STATS_records)
array dim[dims]
array law[dims]
do for [i=1:dims] { stats "sequential_law.csv" skip 1 every ::(i-1)::(i-1) using 1 nooutput; dim[i] = STATS_min }
do for [i=1:dims] { stats "sequential_law.csv" skip 1 every ::(i-1)::(i-1) using 3 nooutput; law[i] = STATS_min }
set xlabel "facts / dimension  n / d" offset 0,0.3
set ylabel "share of facts recalled" offset 1,0
set logscale x 2
set xrange [0.24:27]
set yrange [0:1.04]
set xtics (0.25, 0.5, 1, 2, 4, 8, 16)
set key left bottom Left reverse samplen 1.5 noopaque font ",12"
set arrow 1 from 1,0 to 1,1.04 nohead lc rgb "#444444" lw 1.2 back
set label 1 "n = d" at 1,1.07 center tc rgb "#444444" font ",11"
do for [i=1:dims] { set arrow 1+i from law[i],0 to law[i],1.04 nohead lt 1 dt 2 lw 1.5 back; if (i < dims) { set label 1+i sprintf("d = %d", dim[i]) at law[i]*1.1,1.07 right tc rgb blue font ",11" } else { set label 1+i sprintf("d = %d", dim[i]) at law[i]*0.93,1.07 left tc rgb blue font ",11" } }
set tmargin at screen up(0.92)
thin(i) = i == dims-1 ? 2.2 : 1.2
plot for [i=0:dims-1] "sequential.csv" skip 1 index i using 3:8 with linespoints lt 1 lw thin(i) dt 1+3*(i < dims-1) ps 0.5 title (i == dims-1 ? "best found" : ""), \
     for [i=0:dims-1] "" skip 1 index i using 3:7 with linespoints lt 3 lw thin(i) dt 1+3*(i < dims-1) ps 0.5 title (i == dims-1 ? "least squares" : ""), \
     for [i=0:dims-1] "" skip 1 index i using 3:4 with linespoints lt 4 lw thin(i) dt 1+3*(i < dims-1) ps 0.5 title (i == dims-1 ? "Hebb" : ""), \
     for [i=0:dims-1] "" skip 1 index i using 3:5 with linespoints lt 5 lw thin(i) dt 1+3*(i < dims-1) ps 0.5 title (i == dims-1 ? "delta, 0.5" : ""), \
     for [i=0:dims-1] "" skip 1 index i using 3:6 with linespoints lt 2 lw thin(i) dt 1+3*(i < dims-1) ps 0.5 title (i == dims-1 ? "delta, 1" : ""), \
     for [c=4:8] "sequential.csv" skip 1 index dims-1 using 3:(column(c)):(low(column(c), column(c+5))):(high(column(c), column(c+5))) with yerrorbars lt word("4 5 2 3 1", c-3)+0 ps 0.01 lw 1.2 notitle, \
     NaN with lines lt 1 dt 2 lw 1.5 title "law"
