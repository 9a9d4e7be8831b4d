stats "linear_c1.csv" skip 1 using 3 nooutput
left = STATS_min < 9 ? 0.9 * STATS_min : 8
stats "linear_c1.csv" skip 1 using 8 nooutput
top = STATS_max > 1.12 ? STATS_max + 0.03 : 1.15
set logscale x
set xlabel "dimension d" offset 0,0.3
set ylabel "critical load  α_c = p log p / d²" offset 1,0
set xrange [left:8192]
set xtics (5, 10, 20, 40, 80, 160, "320" 320, "1000" 1000, "4000" 4000)
set yrange [0.45:top]
set ytics 0.1
set key right top samplen 2 noopaque
set arrow 1 from left,0.5 to 8192,0.5 nohead dt 2 lw 1.5 lc rgb grey
set label 1 "limit d → ∞" at 60,0.52 tc rgb "#666666"
plot "linear_c1_law.csv" skip 1 using 1:3 with lines lt 7 lw 2.5 title "finite-size law, decoupled; nothing fitted", \
     "" skip 1 using 1:2 with lines lt 1 lw 1.5 title "the same, original", \
     "linear_c1.csv" skip 1 index 0 using ($3*0.97):6:7:8 with yerrorbars lt 1 ps 0.9 title "original, thresholds with proof", \
     "" skip 1 index 1 using ($3*1.03):6:7:8 with yerrorbars lt 2 ps 0.9 title "decoupled, thresholds with proof", \
     "" skip 1 index 2 using ($3*1.09):6:7:8 with yerrorbars lt 4 ps 0.9 title "original, where Adam fails"
