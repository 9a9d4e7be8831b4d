eval canvas(840, 600)
array dims[2]
array distance[24]
do for [i=0:1] { stats "linear_3.csv" skip 1 index i using 2 nooutput; dims[i+1] = STATS_min }
do for [i=0:23] { stats "linear_3_summary.csv" skip 1 every ::i::i using (distance[i+1]=$5) nooutput }
kappa(i) = word("0.1 0.25 0.5 1", i + 1)
set multiplot layout 3,4 margins 0.075,0.99,up(0.075),up(0.955) spacing 0.035,0.065
set xrange [0:2.6]
set xtics 0.5
set style fill solid 0.3 noborder
set ylabel "density" offset 1.5,0
set key font ",10" samplen 1.2 noopaque
do for [r=0:3] {
    set title "rank ".kappa(r)." d" offset 0,-0.6
    set yrange [0:(r == 0 ? 4 : r == 1 ? 2.4 : r == 2 ? 1.6 : 1.2)]
    if (r < 2) { set ytics 1 } else { set ytics 0.5 }
    if (r == 3) { set key right top } else { unset key }
    plot "linear_3.csv" skip 1 index 6*r+1 using ($4-0.075):5 with fillsteps lc rgb blue title "original", \
         "" skip 1 index 6*r+3 using 4:5 with histeps lt 2 lw 1.5 title "decoupled", \
         "linear_3_law.csv" skip 1 index r using 2:4 with lines lt 8 dt 2 lw 1.5 title "untrained", \
         "" skip 1 index r using 2:3 with lines lt 7 lw 1.5 title "law"
    unset ylabel
    unset label 900
}
unset title
set yrange [0:1.02]
set ytics 0.5
set ylabel "share below" offset 1.5,0
do for [r=0:3] {
    if (r == 3) { set key right bottom } else { unset key }
    set label 1 sprintf("KS %.3f", distance[6*r+2]) at graph 0.04,0.93 font ",10" tc rgb blue
    plot "linear_3_law.csv" skip 1 index r using 2:5 with lines lt 7 lw 1.5 title "law", \
         "linear_3_ranked.csv" skip 1 index 6*r using 4:5 with lines lt 1 dt 3 lw 1.5 title sprintf("original, d = %d", dims[1]), \
         "" skip 1 index 6*r+1 using 4:5 with lines lt 1 lw 1.5 title sprintf("original, d = %d", dims[2]), \
         "" skip 1 index 6*r+2 using 4:5 with lines lt 2 dt 3 lw 1.5 title sprintf("decoupled, d = %d", dims[1]), \
         "" skip 1 index 6*r+3 using 4:5 with lines lt 2 lw 1.5 title sprintf("decoupled, d = %d", dims[2])
    unset ylabel
}
set xlabel "singular value (scaled)" offset 0,0.7
set ylabel "share below, white" offset 1.5,0
do for [r=0:3] {
    if (r == 3) { set key right bottom } else { unset key }
    set label 1 sprintf("KS %.3f", distance[6*r+6]) at graph 0.04,0.93 font ",10" tc rgb green
    plot "linear_3_law.csv" skip 1 index r using 2:5 with lines lt 7 lw 1.5 title "law", \
         "linear_3_ranked.csv" skip 1 index 6*r+4 using 4:5 with lines lt 3 dt 3 lw 1.5 title sprintf("white, d = %d", dims[1]), \
         "" skip 1 index 6*r+5 using 4:5 with lines lt 3 lw 1.5 title sprintf("white, d = %d", dims[2])
    unset ylabel
}
unset multiplot
