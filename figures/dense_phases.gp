eval canvas(840, 380)
set multiplot layout 1,3 margins 0.08,0.985,up(0.15),up(0.9) spacing 0.055,0.1
set xlabel "inverse temperature λ" offset 0,0.3
set xtics scale 0.5
set style fill solid 0.14 noborder
set key samplen 2 spacing 1.15 width -1 noopaque

set title "spherical patterns"
set ylabel "load  α = log(P) / N" offset 1.5,0
set xrange [0:4]
set yrange [0:1.7]
set xtics 1
set key left top reverse Left
set label 1 "retrieved" at 2.6,0.74 center front tc rgb "#444444"
set label 2 "lost" at 0.75,0.95 center front tc rgb "#444444"
plot "dense_phases_spherical.csv" using 1:2 skip 1 with filledcurves y1=0 lc rgb green notitle, \
     "" using 1:2 skip 1 with lines lt 1 lw 3 title "α_1 = α_c", \
     "" using 1:3 skip 1 with lines lt 4 dt 4 title "α_*, few rivals below", \
     "" using 1:5 skip 1 with lines lt 2 dt 2 title "Ramsauer et al.'s proof"

unset label 900
set title "Gaussian patterns"
unset ylabel
set xrange [0:2]
set xtics 0.5
set yrange [0:0.8]
set key left top reverse Left
set label 1 "every pattern retrieved" at 1.15,0.08 center front tc rgb "#444444"
set label 2 "lost" at 1.6,0.57 center front tc rgb "#444444"
set label 3 "most retrieved" at 1.4,0.33 center front tc rgb "#444444"
plot "dense_phases_gaussian.csv" using 1:2 skip 1 with filledcurves y1=0 lc rgb sky notitle, \
     "" using 1:4 skip 1 with filledcurves y1=0 lc rgb green notitle, \
     "" using 1:2 skip 1 with lines lt 1 lw 3 title "α_1, up to 1/2", \
     "" using 1:($3 < 0.6 ? $3 : NaN) skip 1 with lines lt 4 dt 4 title "α_*", \
     "" using 1:4 skip 1 with lines lt 3 title "α_c ≥, up to log(2)/4"

set title "binary patterns"
set xrange [0:3]
set xtics 1
set yrange [0:1.0]
set label 1 "retrieved" at 2.0,0.3 center front tc rgb "#444444"
set label 2 "lost" at 2.4,0.77 center front tc rgb "#444444"
unset label 3
set key left top reverse Left
plot "dense_phases_binary.csv" using 1:2 skip 1 with filledcurves y1=0 lc rgb green notitle, \
     "" using 1:2 skip 1 with lines lt 1 lw 3 title "α_1 = α_c, up to log 2", \
     "" using 1:3 skip 1 with lines lt 4 dt 4 title "α_*"
unset multiplot
