eval canvas(800, 400)
set multiplot layout 1,2 margins 0.095,0.985,up(0.16),up(0.96) spacing 0.11,0.1
set xrange [0:4]
set xtics 1
set arrow 1 from sqrt(2), graph 0 to sqrt(2), graph 1 nohead dt 3 lc rgb grey front
set label 1 "β_c" at sqrt(2), graph 0.96 offset 0.5,0 tc rgb "#444444" front
set xlabel "query-key scale β√(1−ρ)"
set ylabel "participation  E Σ A²"
set yrange [0:0.8]
set key top left reverse Left samplen 1.5 noopaque
plot "attention_participation.csv" using 1:2 skip 1 with lines lt 6 title "T = 64", \
     "" using 1:3 skip 1 with lines lt 1 title "512", \
     "" using 1:4 skip 1 with lines lt 3 title "4096", \
     "" using 1:5 skip 1 with lines lt 4 title "10^6", \
     "" using 1:6 skip 1 with lines lt 2 title "10^{12}", \
     "" using 1:7 skip 1 with lines lt 7 dt 2 title "T → ∞"
unset label 900
set ylabel "entropy / log T"
set yrange [0:1]
plot "attention_participation.csv" using 1:8 skip 1 with lines lt 6 notitle, \
     "" using 1:9 skip 1 with lines lt 1 notitle, \
     "" using 1:10 skip 1 with lines lt 3 notitle, \
     "" using 1:11 skip 1 with lines lt 4 notitle, \
     "" using 1:12 skip 1 with lines lt 2 notitle, \
     "" using 1:13 skip 1 with lines lt 7 dt 2 notitle
unset multiplot
