eval canvas(800, 400)
set multiplot layout 1,2 margins 0.075,0.985,up(0.13),up(0.91) spacing 0.1,0.1
set logscale x
set xlabel "inverse temperature λ" offset 0,0.3
set xrange [0.04:10]
set xtics (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
unset key

set title "spherical patterns"
set ylabel "angle a query may be off, θ_c (degrees)" offset 1,0
set yrange [0:80]
set ytics 15
degrees(x) = x * 180 / pi
plot for [i=0:4] "dense_basins_spherical.csv" skip 1 index i using 2:(degrees($3)) with lines lt i+1 lw 2.5, \
     for [i=0:4] "" skip 1 index i using 7:(degrees($4)) every ::0::0 with points lt i+1 pt 7 ps 0.8, \
     for [i=0:4] "" skip 1 index i using (9.5):(degrees($4)+2.3):(sprintf("α = %g", $1)) every ::0::0 with labels right

unset label 900
set title "binary patterns"
set ylabel "bits a query may have flipped (%)" offset 1,0
set yrange [0:40]
set ytics 10
plot for [i=0:4] "dense_basins_binary.csv" skip 1 index i using 2:(100*$8) with lines lt i+1 lw 2.5, \
     for [i=0:4] "" skip 1 index i using 7:(100*$9) every ::0::0 with points lt i+1 pt 7 ps 0.8, \
     for [i=0:4] "" skip 1 index i using (9.5):(100*$9+1.15):(sprintf("α = %g", $1)) every ::0::0 with labels right
unset multiplot
