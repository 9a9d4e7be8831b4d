eval canvas(840, 520)
array loads[6]
do for [i=0:5] { stats "linear_a2_targets.csv" skip 1 index i using 2 nooutput; loads[i+1] = STATS_min }
where(i) = i % 3 == 0 ? "below" : i % 3 == 1 ? "near" : "above"
set multiplot layout 2,3 margins 0.075,0.985,up(0.1),up(0.93) spacing 0.045,0.12
set xrange [-4:6]
set xtics 2
set yrange [0:1.15]
set ytics 0.2
set key right top samplen 1.5 noopaque
phi(x) = exp(-x*x/2) / sqrt(2*pi)
do for [i=0:5] {
    set title sprintf("%s capacity, α = %.2f", where(i), loads[i+1]) offset 0,-0.6
    if (i % 3 == 0) { set ylabel (i == 0 ? "density, original" : "density, decoupled") offset 1,0 } else { unset ylabel }
    if (i >= 3) { set xlabel "score / off-target spread" offset 0,0.5 } else { unset xlabel }
    if (i == 2) { set key } else { unset key }
    if (i == 1) { unset label 900 }
    plot for [k=0:2] "linear_a2.csv" skip 1 index 3*i+k using 4:5 with histeps lt k+1 lw 1.3 title sprintf("key %d", k+1), \
         phi(x) with lines lt 7 lw 1.2 title "normal law", \
         for [k=0:2] "linear_a2_targets.csv" skip 1 index i every ::k::k using 4:(0):(0):(0.12+0.04*k) with vectors nohead lt k+1 lw 3 notitle, \
         for [k=0:2] "" skip 1 index i every ::k::k using 4:(0.12+0.04*k) with points lt k+1 ps 0.9 title (k == 0 ? "pin: target of key 1" : "")
}
unset multiplot
