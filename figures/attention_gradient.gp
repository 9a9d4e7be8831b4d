set xlabel "query-key scale β√(1−ρ)"
set ylabel "squared gradient of W_Q, scaled"
set logscale y
set yrange [1e-5:1]
set format y "10^{%T}"
set xrange [0:6]
set arrow 1 from sqrt(2), graph 0 to sqrt(2), graph 1 nohead dt 3 lc rgb grey
set label 1 "β_c" at sqrt(2), graph 0.05 offset 0.5,0 tc rgb "#444444"
set key right bottom Left reverse noopaque
plot "attention_gradient.csv" using 1:2 skip 1 with lines lt 1 title "T = 512, width 512", \
     "" using 1:3 skip 1 with lines lt 3 title "T = 2048, width 512", \
     "" using 1:4 skip 1 with lines lt 4 title "T = 10^6, width 512", \
     "" using 1:5 skip 1 with lines lt 2 title "T = 10^6, width 8192", \
     "" using 1:6 skip 1 with lines lt 7 dt 2 title "T → ∞, infinite width", \
     "attention_gradient_points.csv" using 1:($2 < 1000 ? $4 : NaN):5 skip 1 with yerrorbars lc rgb blue pt 7 ps 0.6 lw 1 title "real layers, T = 512", \
     "" using 1:($2 > 1000 ? $4 : NaN):5 skip 1 with yerrorbars lc rgb green pt 5 ps 0.6 lw 1 title "real layers, T = 2048"
