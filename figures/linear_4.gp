eval canvas(840, 520)
array loads[6]
do for [i=0:5] { stats "linear_4.csv" skip 1 index i using 2 nooutput; loads[i+1] = STATS_min }
where(i) = i % 3 == 0 ? "below" : i % 3 == 1 ? "near" : "above"
set multiplot layout 2,3 margins 0.075,0.985,up(0.1),up(0.93) spacing 0.045,0.12
set xrange [-4:6]
set xtics 2
set style fill solid 0.4 noborder
set boxwidth 1 relative
set key right top samplen 1.5 noopaque
set yrange [0:2.8]
set ytics 0.5
do for [i=0:5] {
    set title sprintf("%s capacity, α = %.2f", where(i), loads[i+1]) offset 0,-0.6
    if (i % 3 == 0) { set ylabel (i == 0 ? "density, original" : "density, decoupled") offset 1,0 } else { unset ylabel }
    if (i >= 3) { set xlabel "score / off-target spread" offset 0,0.5 } else { unset xlabel }
    if (i == 2) { set key } else { unset key }
    if (i == 1) { unset label 900 }
    plot "linear_4.csv" skip 1 index i using 3:4 with boxes lc rgb sky title "off-target", \
         "" skip 1 index i using 3:5 with boxes lc rgb red title "target", \
         "" skip 1 index i using 3:6 with lines lt 7 lw 1.2 title "normal law", \
         "" skip 1 index i using 3:7 with lines lt 3 dt 2 lw 2 title "law of targets"
}
unset multiplot
