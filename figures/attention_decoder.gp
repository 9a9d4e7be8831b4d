set xlabel "layer"
set ylabel "similarity of the last tokens  ρ"
set yrange [0:1]
set key left top Left reverse samplen 2 noopaque
plot "attention_decoder.csv" using 1:($2 < 1 ? $7 : NaN) skip 1 with lines lt 1 dt 2 lw 1.5 title "β = 0.5, law of encoders", \
     "" using 1:($2 < 1 ? $5 : NaN) skip 1 with lines lt 1 lw 2.5 title "β = 0.5, of decoders", \
     "" using 1:($2 > 1 ? $7 : NaN) skip 1 with lines lt 2 dt 2 lw 1.5 title "β = 3, law of encoders", \
     "" using 1:($2 > 1 ? $5 : NaN) skip 1 with lines lt 2 lw 2.5 title "β = 3, of decoders", \
     "" using 1:3:(low($3, $4)):(high($3, $4)) skip 1 with yerrorbars lc rgb black pt 7 ps 0.35 lw 1 title "networks"
