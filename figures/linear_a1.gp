eval canvas(800, 390)
array kappas[4]
array limits[4]
do for [i=0:3] { stats "linear_a1_limit.csv" skip 1 every ::i::i using (kappas[i+1]=$1, limits[i+1]=$3) nooutput }
stats "linear_a1.csv" skip 1 using 9 nooutput
highest = ceil(1.5*STATS_max) # the key has the upper third
set multiplot layout 1,2 margins 0.065,0.985,up(0.14),up(0.91) spacing 0.055,0.1
set xlabel "load  α = p log p / d²" offset 0,0.3
set xrange [0:1.35]
set xtics 0.2
set yrange [0:highest]
set ytics 1
set ylabel "cross-entropy (nats a fact)" offset 1,0
set key left top reverse Left samplen 2 noopaque font ",11"
do for [i=1:4] { set arrow i from limits[i],0 to limits[i],0.05*highest nohead lt i lw 3 back }
floor0(mean, bar) = mean - bar < 0 ? 0 : mean - bar
do for [p=0:1] {
    set title (p == 0 ? "original problem" : "decoupled problem")
    if (p == 1) { unset label 900; unset ylabel; unset key }
    plot for [i=0:3] "linear_a1_adam.csv" skip 1 index 4*p+i using 4:9 with lines lt i+1 dt 2 lw 1.3 notitle, \
         for [i=0:3] "linear_a1.csv" skip 1 index 4*p+i using 4:9 with lines lt i+1 notitle, \
         for [i=0:3] "" skip 1 index 4*p+i using 4:9:(floor0($9, $10)):($9 + $10) with yerrorbars lt i+1 lw 1.3 ps 0.6 title sprintf("rank %g d, lowest found", kappas[i+1]), \
         NaN with lines lc rgb "#444444" dt 2 lw 1.3 title "where Adam stops"
}
unset multiplot
