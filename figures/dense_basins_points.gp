eval canvas(800, 430)
set multiplot layout 1,2 margins 0.08,0.985,up(0.14),up(0.91) spacing 0.09,0.1
set logscale x
set xlabel "inverse temperature λ" offset 0,0.3
set xrange [0.1:6]
set xtics (0.1, 0.2, 0.5, 1, 2, 5)
set yrange [0:95]
set ytics 0,15,75
degrees(x) = x * 180 / pi
array alpha[4] = [0.1, 0.2, 0.3, 0.5]
set key top left reverse Left samplen 1.5 spacing 1.1 noopaque
set title "first step, N = 1000 (up to e^{500} patterns)"
set ylabel "median angle that is retrieved (degrees)" offset 1,0
plot for [i=1:4] "dense_basins_points_theory.csv" skip 1 index i-1 using 2:(degrees($3)) with lines lt i lw 2.5 notitle, \
     for [i=1:4] "dense_basins_points_tail.csv" skip 1 index i-1 using 3:(degrees($4)) with points lt i pt 7 ps 0.8 notitle, \
     for [i=1:4] "dense_basins_points_theory.csv" skip 1 index i-1 using (5.6):(degrees($3)+2.8):(sprintf("α = %g", $1)) every ::200::200 with labels right notitle, \
     NaN with lines lc rgb black lw 2.5 title "theory, N → ∞", NaN with points lc rgb black pt 7 ps 0.8 title "tail sampler"
unset ylabel
unset label 900
set title "converged dynamics"
plot for [i=1:4] "dense_basins_points_theory.csv" skip 1 index i-1 using 2:(degrees($3)) with lines lt i lw 2.5 notitle, \
     for [i=1:4] "dense_basins_points_hybrid.csv" skip 1 index i-1 using 3:(degrees($4)):(degrees($5)) with yerrorbars lt i pt 7 ps 0.8 notitle, \
     for [i=1:4] "dense_basins_points_direct.csv" skip 1 index i-1 using 3:(degrees($4)):(degrees($5)) with yerrorbars lt i pt 4 ps 0.9 notitle, \
     NaN with lines lc rgb black lw 2.5 title "theory, N → ∞", NaN with points lc rgb black pt 7 ps 0.8 title "hybrid, N = 100", \
     NaN with points lc rgb black pt 4 ps 0.9 title "direct, N = 60 to 16"
unset multiplot
