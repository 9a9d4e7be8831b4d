if (format eq "svg") set terminal svg size 1000,600 font "DejaVu Sans,13" background rgb "white" dynamic
if (format eq "png") set terminal pngcairo size 2000,1200 font "DejaVu Sans,12"
if (format eq "pdf") set terminal pdfcairo size 8,4.8
array dims[2]
do for [i=0:1] { stats "linear_3.csv" skip 1 index i using 2 nooutput; dims[i+1] = STATS_min }
kappa(i) = i == 0 ? "0.25" : i == 1 ? "0.5" : "1"
set multiplot layout 2,3 margins 0.08,0.985,0.09,0.95 spacing 0.05,0.09
set xrange [0:2.6]
set xtics 0.5
set style fill solid 0.3 noborder
set boxwidth 1 relative
set ylabel "density" offset 1,0
do for [r=0:2] {
    set title "rank ".kappa(r)." d" offset 0,-0.6
    set yrange [0:(r == 0 ? 2.3 : r == 1 ? 1.5 : 1.2)]
    if (r == 0) { set ytics 0.5 } else { if (r == 1) { set ytics 0.5 } else { set ytics 0.2 } }
    if (r == 2) { set key right top samplen 1.5 noopaque } else { unset key }
    plot "linear_3.csv" skip 1 index 4*r+1 using 4:5 with boxes lc rgb blue title sprintf("original, d = %d", dims[2]), \
         "" skip 1 index 4*r+3 using 4:5 with histeps lt 2 lw 1.5 title sprintf("decoupled, d = %d", dims[2]), \
         "linear_3_law.csv" skip 1 index r using 2:4 with lines lt 8 dt 2 lw 1.5 title "before training", \
         "" skip 1 index r using 2:3 with lines lt 7 lw 2 title "law at capacity"
    unset ylabel
}
unset title
set xlabel "singular value (scaled)" offset 0,0.5
set ylabel "share below" offset 1,0
set yrange [0:1.02]
set ytics 0.25
do for [r=0:2] {
    if (r == 2) { set key right bottom samplen 1.5 noopaque } else { unset key }
    plot "linear_3_law.csv" skip 1 index r using 2:6 with lines lt 8 dt 2 lw 1.5 title "before training", \
         "" skip 1 index r using 2:5 with lines lt 7 lw 2 title "law at capacity", \
         "linear_3_ranked.csv" skip 1 index 4*r using 4:5 with lines lt 1 dt 4 lw 1.5 title sprintf("original, d = %d", dims[1]), \
         "" skip 1 index 4*r+1 using 4:5 with lines lt 1 lw 1.5 title sprintf("original, d = %d", dims[2]), \
         "" skip 1 index 4*r+2 using 4:5 with lines lt 2 dt 4 lw 1.5 title sprintf("decoupled, d = %d", dims[1]), \
         "" skip 1 index 4*r+3 using 4:5 with lines lt 2 lw 1.5 title sprintf("decoupled, d = %d", dims[2])
    unset ylabel
}
unset multiplot
