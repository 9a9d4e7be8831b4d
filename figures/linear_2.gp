set xlabel "load  α = p log p / d²" offset 0,0.3
set ylabel "facts recalled" offset 1,0
set key right top samplen 2 noopaque
array kappas[4]
array laws[4]
array limits[4]
do for [i=0:3] { stats "linear_2_law.csv" skip 1 every ::i::i using 1 nooutput; kappas[i+1] = STATS_min }
do for [i=0:3] { stats "linear_2_law.csv" skip 1 every ::i::i using 2 nooutput; laws[i+1] = STATS_min }
do for [i=0:3] { stats "linear_2_law.csv" skip 1 every ::i::i using 3 nooutput; limits[i+1] = STATS_min }
set xrange [0:1.42]
set yrange [0:1.04]
do for [i=1:4] { set arrow i from laws[i],0 to laws[i],1.04 nohead lt i dt 2 lw 1.5 back }
do for [i=1:4] { set arrow 4+i from limits[i],0 to limits[i],0.12 nohead lt i lw 3 back }
set label 1 "solid ticks: limit formula, dashed: finite-size law" at 0.02,1.07 tc rgb "#444444" font ",11"
set label 1 at graph 0,1.04
set tmargin 2
plot for [i=0:3] "linear_2.csv" skip 1 index i using 4:6 with linespoints lt i+1 ps 0.5 title sprintf("rank %g d", kappas[i+1]), \
     "linear_2.csv" skip 1 index 4 using 4:6 with points lt 7 pt 6 ps 0.7 title "Hebbian rule", \
     "linear_2_hebbian.csv" skip 1 using 1:2 with lines lt 7 dt 4 lw 1.5 title "its formula"
