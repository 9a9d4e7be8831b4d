set logscale xy
set xlabel "dimension d of a d × d memory"
set ylabel "facts that fit"
set xrange [16:16384]
set xtics (16, 64, 256, 1024, 4096, 16384)
set format y "10^{%T}"
set key left top reverse Left noopaque
plot "capacity.csv" using 1:2 skip 1 with lines lt 1 lw 3 title "Ireneo's finite-size law", \
     "" using 1:3 skip 1 with lines lt 2 dt 2 title "limit formula  n log P = d²/2", \
     "" using 1:4 skip 1 with lines lt 4 dt 4 title "Hebbian rule  n log P = d²/8"
