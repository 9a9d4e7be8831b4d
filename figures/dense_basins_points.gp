if (format eq "svg") set terminal svg size 900,440 font "DejaVu Sans,13" background rgb "white" dynamic
if (format eq "png") set terminal pngcairo size 1800,880 font "DejaVu Sans,12" fontscale 1.75 linewidth 2 pointscale 2 background rgb "white"
if (format eq "pdf") set terminal pdfcairo size 7.2,3.52 font "DejaVu Sans,9" linewidth 1.2
set output file
set multiplot layout 1,2 margins 0.08,0.985,0.14,0.91 spacing 0.09,0.1
set logscale x
set xlabel "inverse temperature λ" offset 0,0.3
set xrange [0.1:6]
set xtics (0.1, 0.2, 0.5, 1, 2, 5)
set yrange [0:95]
set ytics 0,15,75
degrees(x) = x * 180 / pi
array alpha[4] = [0.1, 0.2, 0.3, 0.5]
set key top left reverse Left samplen 1.5 spacing 1.1
set title "first step, N = 1000 (up to e^{500} patterns)"
set ylabel "median angle that is retrieved (degrees)" offset 1,0
plot for [i=1:4] "dense_basins_points_theory.csv" skip 1 index i-1 using 2:(degrees($3)) with lines lt i lw 2.5 notitle, \
     for [i=1:4] "dense_basins_points_tail.csv" skip 1 index i-1 using 3:(degrees($4)) with points lt i pt 7 ps 0.8 notitle, \
     for [i=1:4] "dense_basins_points_theory.csv" skip 1 index i-1 using (5.6):(degrees($3)+2.8):(sprintf("α = %g", $1)) every ::200::200 with labels right notitle, \
     NaN with lines lc rgb black lw 2.5 title "theory, N → ∞", NaN with points lc rgb black pt 7 ps 0.8 title "tail sampler"
unset ylabel
set title "converged dynamics"
plot for [i=1:4] "dense_basins_points_theory.csv" skip 1 index i-1 using 2:(degrees($3)) with lines lt i lw 2.5 notitle, \
     for [i=1:4] "dense_basins_points_hybrid.csv" skip 1 index i-1 using 3:(degrees($4)):(degrees($5)) with yerrorbars lt i pt 7 ps 0.8 notitle, \
     for [i=1:4] "dense_basins_points_direct.csv" skip 1 index i-1 using 3:(degrees($4)):(degrees($5)) with yerrorbars lt i pt 4 ps 0.9 notitle, \
     NaN with lines lc rgb black lw 2.5 title "theory, N → ∞", NaN with points lc rgb black pt 7 ps 0.8 title "hybrid, N = 100", \
     NaN with points lc rgb black pt 4 ps 0.9 title "direct, N = 60, 36, 24, 16"
unset multiplot
