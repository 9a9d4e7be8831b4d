set logscale x
set xlabel "neurons N"
set ylabel "threshold of λ√N / a  (P = exp(a√N) patterns)"
set xrange [30:1000000]
set yrange [0.98:1.2]
set format x "10^{%T}"
set key top right samplen 2.5 spacing 1.15 noopaque
array load[3] = [0.5, 1, 1.5]
plot for [i=1:3] "dense_dot_product_theory.csv" skip 1 index i-1 using 2:($3/$1) with lines lt i lw 2.5 title sprintf("a = %g, theory of exact N", load[i]), \
     for [i=1:3] "dense_dot_product.csv" skip 1 index i-1 using 2:($4/$1):($5/$1) with yerrorbars lt i pt 7 ps 0.9 notitle, \
     NaN with points lc rgb black pt 7 ps 0.9 title "simulated, one step", \
     1 with lines lc rgb black dt 2 lw 1.5 title "N → ∞"
