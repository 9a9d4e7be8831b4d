if (format eq "svg") set terminal svg size 1000,380 font "DejaVu Sans,13" background rgb "white" dynamic
if (format eq "png") set terminal pngcairo size 2000,760 font "DejaVu Sans,12"
if (format eq "pdf") set terminal pdfcairo size 8,3.04
array dims[2]
do for [i=0:1] { stats "linear_3.csv" skip 1 index i using 2 nooutput; dims[i+1] = STATS_min }
kappa(i) = i == 0 ? "0.25" : i == 1 ? "0.5" : "1"
set multiplot layout 1,3 margins 0.06,0.985,0.15,0.9 spacing 0.05,0.1
set xlabel "singular value (scaled)" offset 0,0.3
set xrange [0:2.5]
set xtics 0.5
set ylabel "density" offset 1,0
set key left top reverse Left samplen 1.5 noopaque
do for [r=0:2] {
    set title "rank ".kappa(r)." d"
    set yrange [0:(r == 0 ? 3.4 : r == 1 ? 2.3 : 1.3)]
    set ytics (r == 2 ? 0.5 : 1)
    plot "linear_3_law.csv" skip 1 index r using 2:4 with filledcurves y1=0 lc rgb "#e4e4e4" title (r < 2 ? "before training" : "before: the same law"), \
         "" skip 1 index r using 2:3 with lines lt 7 lw 2.5 title "law at capacity", \
         for [s=0:1] "linear_3.csv" skip 1 index 4*r+s using 4:5 with points lt 1 pt (s == 0 ? 6 : 7) ps 0.6 title sprintf("original, d = %d", dims[s+1]), \
         for [s=0:1] "linear_3.csv" skip 1 index 4*r+2+s using 4:5 with points lt 2 pt (s == 0 ? 4 : 5) ps 0.55 title sprintf("decoupled, d = %d", dims[s+1])
    unset ylabel
    unset key
}
unset multiplot
