if (format eq "svg") set terminal svg size 960,420 font "DejaVu Sans,13" background rgb "white" dynamic
if (format eq "png") set terminal pngcairo size 1920,840 font "DejaVu Sans,12"
if (format eq "pdf") set terminal pdfcairo size 7.2,3.15
array dims[4]
do for [i=0:3] { stats "law_chance.csv" skip 1 index i using 2 nooutput; dims[i+1] = STATS_min }
set multiplot layout 1,2 margins 0.09,0.985,0.14,0.92 spacing 0.085,0.1
set logscale x
set xlabel "facts that fit, by the law" offset 0,0.3
set ylabel "measured / law" offset 1,0
stats "law.csv" skip 1 using 6 nooutput
set xrange [0.85*STATS_min:1.15*STATS_max]
set yrange [0.9:1.14]
set xtics (50, 75, 100, 150, 200, 300, 400, 500, 700, 1000)
set ytics 0.05
set key right top samplen 1 noopaque
plot 1 with lines lt 8 lw 1.5 notitle, \
     "law.csv" skip 1 index 0 using 6:($7/$6):($8/$6):($9/$6) with yerrorbars lt 1 ps 1 title "square, both problems", \
     "" skip 1 index 1 using 6:($7/$6):($8/$6):($9/$6) with yerrorbars lt 2 ps 1 title "rank 0.2 to 0.75 d", \
     "" skip 1 index 2 using 6:($7/$6):($8/$6):($9/$6) with yerrorbars lt 3 ps 1.1 title "rectangular; few or many candidates"
unset logscale
set xlabel "facts / facts that fit by the law"
set ylabel "share of draws that fit"
set xrange [0.88:1.12]
set xtics 0.05
set yrange [0:1.04]
set ytics 0.25
set key left bottom reverse Left samplen 1.5 noopaque
plot for [i=0:1] "law_chance.csv" skip 1 index 2*i using 3:5 with lines lt i+1 lw 2 title sprintf("law, d = %d", dims[2*i+1]), \
     for [i=0:1] "" skip 1 index 2*i using 3:4 with steps lt i+1 lw 1.2 dt 2 title sprintf("decoupled, d = %d", dims[2*i+1]), \
     for [i=0:1] "" skip 1 index 2*i+1 using 3:4 with steps lt i+1 lw 1.2 dt 3 title sprintf("original, d = %d", dims[2*i+1])
unset multiplot
