eval canvas(840, 330)
array kappas[4]
array distances[4]
do for [i=0:3] { stats "linear_c2.csv" skip 1 index i using 1:6 nooutput; kappas[i+1] = STATS_min_x; distances[i+1] = STATS_min_y }
set multiplot layout 1,4 margins 0.08,0.985,up(0.17),up(0.88) spacing 0.045,0.1
set style fill solid 0.4 noborder
set xlabel "singular value / d" offset 0,0.3
set key right top samplen 1.5 noopaque
set yrange [0:*]
set xrange [0:*]
do for [i=0:3] {
    set title sprintf("rank %g d", kappas[i+1])
    if (i == 1) { unset label 900 }
    if (i == 0) { set ylabel "density" offset 0.5,0 } else { unset ylabel }
    if (i == 3) { set xtics 1 } else { set xtics 0.5 }
    set label 1 sprintf("KS %.4f", distances[i+1]) at graph 0.97,(i == 3 ? 0.68 : 0.93) right tc rgb "#444444"
    if (i == 3) { set key } else { unset key }
    plot "linear_c2.csv" skip 1 index i using ($2-0.5*$3):4 with fillsteps lc rgb sky title "draws", \
         "" skip 1 index i using 2:5 with lines lt 7 lw 2 title "law"
}
unset multiplot
