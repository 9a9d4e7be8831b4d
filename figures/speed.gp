eval canvas(800, 390)
set multiplot layout 1,2 margins 0.085,0.985,up(0.14),up(0.92) spacing 0.09,0.1
stats "speed.csv" skip 1 using 1 nooutput
set logscale xy
set xlabel "dimension d  (0.9 of capacity)" offset 0,0.3
set xrange [0.85*STATS_min:1.15*STATS_max]
set xtics (20, 30, 50, 100, 200, 400)
set ylabel "seconds on one core" offset 0.5,0
set format y "10^{%T}"
set key left top reverse Left samplen 2 noopaque
plot "speed.csv" skip 1 using 1:5 with linespoints lt 4 title "Adam on cross-entropy", \
     "" skip 1 using 1:3 with linespoints lt 1 lw 2.5 title "Ireneo", \
     "" skip 1 using 1:5:9 with yerrorbars lt 4 ps 0.01 lw 1.2 notitle, \
     "" skip 1 using 1:3:8 with yerrorbars lt 1 ps 0.01 lw 1.2 notitle
unset label 900
set ylabel "passes over all candidates"
set format y "%g"
set yrange [1:1000]
unset key
plot "speed.csv" skip 1 using 1:6 with linespoints lt 4, "" skip 1 using 1:4 with linespoints lt 1 lw 2.5
unset multiplot
