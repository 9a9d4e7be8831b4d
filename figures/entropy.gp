# Left: log(volume) / d^2; right: overlap. Full matrices above, half the rank below.
eval canvas(960, 760)
stats "entropy.csv" skip 1 using 2 nooutput
groups = STATS_blocks
array dim[groups]
array draws[groups]
do for [g=1:groups] {
    stats "entropy.csv" skip 1 index g-1 using 2 nooutput; dim[g] = STATS_min
    stats "entropy.csv" skip 1 index g-1 using 12 nooutput; draws[g] = STATS_max
}
last = groups - 1 # the block of half the rank
set multiplot layout 2,2 margins 0.075,0.985,up(0.085),up(0.955) spacing 0.085,0.13
set xrange [0:1.2]
set xtics 0.2
set xlabel "load n log P / D" offset 0,0.4
do for [row=0:1] {
    share = row == 0 ? "full matrices" : sprintf("rank d/2, d = %d", dim[groups])
    from = row == 0 ? 0 : last
    to = row == 0 ? last - 1 : groups - 1
    do for [column=0:1] {
        y = column == 0 ? 2 : 4
        p = column == 0 ? 6 : 8
        set title share.(column == 0 ? ": volume of solutions" : ": overlap of two solutions") offset 0,-0.6
        set ylabel (column == 0 ? "log(volume) / D" : "overlap q") offset 1.2,0
        if (column == 0) {
            set yrange [-2.6:0.05]
            set ytics 0.5
            set key left bottom Left reverse samplen 2 noopaque font ",12"
        } else {
            set yrange [0:1.04]
            set ytics 0.2
            set key right bottom Left reverse samplen 0.8 noopaque font ",10"
        }
        if (column == 1) { unset label 900 }
        plot "entropy_law.csv" skip 1 index row using 1:y with lines lt 7 lw 2 title (column == 0 ? "law, P = 10" : ""), \
             "" skip 1 index row+2 using 1:y with lines lt 8 dt 2 lw 2 title (column == 0 ? "law, P → ∞" : ""), \
             for [g=from:to] "entropy.csv" skip 1 index g using 5:p:p+1 with yerrorbars lc rgb (g % 2 == 0 ? blue : red) \
                 pt (row == 1 ? 9 : 5 + 2*(g/2) + (g/2 == 0 ? -1 : 0)) ps 0.8 lw 1.3 \
                 title (column == 1 ? sprintf("%s, d = %d, %d draws", g % 2 == 0 ? "decoupled" : "original", dim[g+1], draws[g+1]) : "")
    }
}
unset multiplot
