eval canvas(560, 400)
stats "linear_c1.csv" skip 1 using 3 nooutput
left = STATS_min < 9 ? 0.9 * STATS_min : STATS_min < 18 ? 8 : 16
right = STATS_max > 300 ? 1500 : STATS_max > 90 ? 700 : 200
stats "linear_c1.csv" skip 1 using 10 nooutput
highest = STATS_max > 1.02 ? STATS_max + 0.1 : 1.14
set logscale x
set xlabel "dimension d" offset 0,0.3
set ylabel "critical load  α_c = p log p / d²" offset 1,0
set xrange [left:right]
set xtics (5, 10, 20, 50, 100, 200, 500, 1000)
set yrange [0.45:highest]
set ytics 0.1
set key right top samplen 2 noopaque
set arrow 1 from left,0.5 to right,0.5 nohead dt 2 lw 1.5 lc rgb grey
set label 1 "limit d → ∞" at left*1.1,0.525 tc rgb "#666666"
# A point whose draws are not all proved is hollow.
plot "linear_c1_law.csv" skip 1 using 1:2 with lines lt 1 lw 1.5 title "law, original problem", \
     "" skip 1 using 1:3 with lines lt 2 lw 1.5 title "law, decoupled; nothing fitted", \
     "linear_c1.csv" skip 1 index 0 using ($3*0.98):8:9:10 with yerrorbars lt 1 pt 6 ps 0.8 lw 1.3 notitle, \
     "" skip 1 index 0 using ($3*0.98):($11 == $13 ? $8 : NaN) with points lt 1 ps 0.8 title "original, with proof", \
     "" skip 1 index 1 using ($3*1.02):8:9:10 with yerrorbars lt 2 pt 4 ps 0.8 lw 1.3 notitle, \
     "" skip 1 index 1 using ($3*1.02):($11 == $13 ? $8 : NaN) with points lt 2 ps 0.8 title "decoupled, with proof", \
     "" skip 1 index 2 using ($3*1.06):8:9:10 with yerrorbars lt 4 ps 0.8 lw 1.3 title "original, where Adam fails"
