# Wider than other figures: the colour scale stands beside the diagram.
eval canvas(800, 440)
margin = 0.1 # nats below the unigram entropy: the run has learned
stats "attention_training_lines.csv" using 4 skip 1 nooutput
wall = STATS_max
stats "attention_training_runs.csv" using 3 skip 1 nooutput
first = STATS_min # runs with another seed stand beside, smaller
set logscale xy
set xrange [0.2:10]
set yrange [0.25:11]
set xtics (0.2, 0.5, 1, 2, 5, 10)
set ytics (0.25, 0.5, 1, 2, 4, 8)
set xlabel "query-key scale β"
set ylabel "residual strength of attention"
set lmargin at screen 0.12
set rmargin at screen 0.70
set bmargin at screen up(0.14)
set tmargin at screen up(0.97)
set key at screen 0.99, screen up(0.955) right top Left reverse samplen 1.8
set colorbox vertical user origin 0.755,up(0.16) size 0.025,0.4
set cblabel "nats gained over unigrams" offset 0.5,0
set cbrange [0:0.8]
set palette defined (0 "#ffffff", 0.1 "#cde9f7", 0.35 "#56B4E9", 0.8 "#0072B2")
set label 1 "trainable" at 0.225, 9.3 tc rgb "#333333" front
set label 2 "rank collapse" at 0.225, 0.285 tc rgb "#333333" front
set label 3 "entropy collapse" at wall*1.06, 9.3 tc rgb "#333333" front
set object 1 rectangle from wall, graph 0 to graph 1, graph 1 fc rgb "#f3e3d3" fs solid 0.6 noborder behind
set arrow 1 from wall, graph 0 to wall, graph 1 nohead lc rgb red lw 2 front
plot "attention_training_lines.csv" using 1:2:(0.25) skip 1 with filledcurves fc rgb "#e0e0e0" fs transparent solid 0.6 noborder notitle, \
     "" using 1:2 skip 1 with lines lt 7 lw 2 notitle, \
     "attention_training_growth.csv" using 1:2 skip 1 smooth csplines with lines lt 3 dt 2 lw 2 title "gradients explode", \
     "attention_training_runs.csv" using ($3 == first ? $1 : $1/1.17):2:($3 == first ? 1.9 : 1.2):($13 - $14) skip 1 with points pt 7 ps variable lc palette notitle, \
     "" using ($3 == first ? $1 : $1/1.17):2:($3 == first ? 1.9 : 1.2) skip 1 with points pt 6 ps variable lc rgb "#444444" lw 0.8 notitle, \
     "" using ($13 - $14 >= margin ? NaN : $3 == first ? $1 : $1/1.17):2:($3 == first ? 1.0 : 0.6) skip 1 with points pt 2 ps variable lc rgb black lw 1.5 notitle, \
     NaN with points pt 6 ps 1.9 lc rgb "#444444" lw 0.8 title "learned", \
     NaN with points pt 2 ps 1.0 lc rgb black lw 1.5 title "did not learn", \
     NaN with points pt 6 ps 1.2 lc rgb "#444444" lw 0.8 title "second seed"
