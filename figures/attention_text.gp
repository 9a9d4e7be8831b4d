set xlabel "layer"
set ylabel "similarity of tokens  ρ"
set yrange [0:1]
set key right bottom Left reverse samplen 2 noopaque
plot "attention_text.csv" using 1:($2 < 1 ? $6 : NaN) skip 1 with lines lt 1 dt 2 lw 1.5 title "β = 0.5, T → ∞", \
     "" using 1:($2 < 1 ? $5 : NaN) skip 1 with lines lt 1 lw 2.5 title "β = 0.5, exact", \
     "" using 1:($2 > 1 ? $6 : NaN) skip 1 with lines lt 2 dt 2 lw 1.5 title "β = 3, T → ∞", \
     "" using 1:($2 > 1 ? $5 : NaN) skip 1 with lines lt 2 lw 2.5 title "β = 3, exact", \
     "" using 1:3:(low($3, $4)):(high($3, $4)) skip 1 with yerrorbars lc rgb black pt 7 ps 0.35 lw 1 title "networks that read stories"
