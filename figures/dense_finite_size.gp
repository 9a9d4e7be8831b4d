set logscale xy
set xlabel "neurons N"
set ylabel "λ at threshold / λ_c − 1"
set xrange [20:100000]
set yrange [0.0000001:1]
set format y "10^{%T}"
set format x "10^{%T}"
set key bottom left reverse Left samplen 2 spacing 1 font ",11" noopaque
array alpha[3] = [0.3, 0.5, 1]
plot for [i=1:3] "dense_finite_size_theory.csv" skip 1 index i-1 using 2:($5/$3-1) with lines lt i lw 2.5 title sprintf("α = %g: radial map", alpha[i]), \
     "dense_finite_size_theory.csv" skip 1 index 0 using 2:($6/$3-1) with lines lc rgb black dt 3 lw 2 title "α = 0.3: log N / N law", \
     for [i=1:3] "dense_finite_size.csv" skip 1 index i-1 using 2:($8/$4-1):($9/$4) with yerrorbars lt i pt 7 ps 0.8 notitle, \
     for [i=1:3] "dense_finite_size_theory.csv" skip 1 index i-1 using 2:($4/$3-1) with lines lt i dt 2 lw 1.5 title (i == 3 ? "one step, exact N (dashed)" : ""), \
     for [i=1:3] "dense_finite_size.csv" skip 1 index i-1 using 2:($5/$4-1):($6/$4) with yerrorbars lt i pt 6 ps 0.8 notitle, \
     NaN with points lc rgb black pt 7 ps 0.8 title "simulated, converged (hybrid)", \
     NaN with points lc rgb black pt 6 ps 0.8 title "simulated, one step (tail)"
