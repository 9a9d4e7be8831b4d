if (format eq "svg") set terminal svg size 960,400 font "DejaVu Sans,13" background rgb "white" dynamic
if (format eq "png") set terminal pngcairo size 1920,800 font "DejaVu Sans,12"
if (format eq "pdf") set terminal pdfcairo size 7.2,3
array dims[3]
do for [i=0:2] { stats "linear_a1.csv" skip 1 index i using 2 nooutput; dims[i+1] = STATS_min }
set multiplot layout 1,2 margins 0.07,0.985,0.14,0.9 spacing 0.06,0.1
set xlabel "load  α = p log p / d²" offset 0,0.3
set xrange [0:1.35]
set xtics 0.2
set yrange [-0.1:4]
set ytics 1
set arrow 1 from 0.5,-0.1 to 0.5,1.9 nohead dt 3 lc rgb grey
set label 1 "d → ∞" at 0.51,1.75 left tc rgb "#666666"
set key left top reverse Left samplen 2 at 0.02,3.9 noopaque
set title "original problem"
set ylabel "cross-entropy (nats per fact)" offset 1,0
plot for [i=0:2] "linear_a1.csv" skip 1 index i using 4:9:10 with yerrorbars lt i+1 ps 0.6 notitle, \
     for [i=0:2] "" skip 1 index i using 4:9 with lines lt i+1 title sprintf("minimum, d = %d", dims[i+1]), \
     for [i=0:2] "linear_a1_adam.csv" skip 1 index i using 4:9 with lines lt i+1 dt 2 lw 1.3 notitle, \
     NaN with lines lc rgb "#444444" dt 2 lw 1.3 title "where Adam stops"
set title "decoupled problem"
unset ylabel
unset key
plot for [i=0:2] "linear_a1.csv" skip 1 index i+3 using 4:9:10 with yerrorbars lt i+1 ps 0.6, \
     for [i=0:2] "" skip 1 index i+3 using 4:9 with lines lt i+1, \
     for [i=0:2] "linear_a1_adam.csv" skip 1 index i+3 using 4:9 with lines lt i+1 dt 2 lw 1.3
unset multiplot
