# Two panels beside each other: the paper's scale, and a larger one.
eval canvas(800, 380)
set multiplot
set xlabel "layer"
set xrange [0:100]
set yrange [0:1.02]
set key at graph 0.98, graph 0.03 right bottom Left reverse samplen 2 noopaque
set bmargin at screen up(0.15)
set tmargin at screen up(0.91)
set lmargin at screen 0.09
set rmargin at screen 0.50
set ylabel "cosine similarity ρ"
set title "β = 0.1"
plot "attention_gain.csv" using 1:2 skip 1 with lines lt 2 title "post-LN", \
     "" using 1:4 skip 1 with lines lt 4 title "pre-LN", \
     "" using 1:3 skip 1 with lines lt 1 title "post-LN, gain control", \
     "" using 1:5 skip 1 with lines lt 3 title "pre-LN, gain control"
unset label 900
set lmargin at screen 0.57
set rmargin at screen 0.98
unset ylabel
set title "β = 3 (broken: T → ∞)"
unset key
plot "attention_gain.csv" using 1:6 skip 1 with lines lt 2, \
     "" using 1:8 skip 1 with lines lt 4, \
     "" using 1:7 skip 1 with lines lt 1, \
     "" using 1:9 skip 1 with lines lt 3, \
     "" using 1:14 skip 1 with lines lt 2 dt 2 lw 1.3, \
     "" using 1:16 skip 1 with lines lt 4 dt 2 lw 1.3, \
     "" using 1:15 skip 1 with lines lt 1 dt 2 lw 1.3, \
     "" using 1:17 skip 1 with lines lt 3 dt 2 lw 1.3
unset multiplot
