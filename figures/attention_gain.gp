set xlabel "layer"
set ylabel "cosine similarity ρ"
set xrange [0:100]
set yrange [0:1.02]
set key noopaque
set key at graph 0.98, 0.94 right top Left reverse
plot "attention_gain.csv" using 1:2 skip 1 with lines lt 2 title "attention, β = 0.1", \
     "" using 1:4 skip 1 with lines lt 4 title "attention, β = 3", \
     "" using 1:3 skip 1 with lines lt 1 title "gain control, β = 0.1", \
     "" using 1:5 skip 1 with lines lt 3 title "gain control, β = 3", \
     "" using 1:8 skip 1 with lines lt 4 dt 2 notitle, \
     "" using 1:9 skip 1 with lines lt 3 dt 2 notitle, \
     NaN with lines lt 8 dt 2 title "T → ∞"
