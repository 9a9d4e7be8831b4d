eval canvas(840, 400)
array dims[4]
do for [i=0:3] { stats "law_chance.csv" skip 1 index i using 2 nooutput; dims[i+1] = STATS_min }
set multiplot layout 1,3 margins 0.085,0.99,up(0.22),up(0.91) spacing 0.078,0.1
set title "square, n = P"
set logscale x
set xlabel "dimension d" offset 0,0.3
set ylabel "measured / law" offset 2,0
stats "law.csv" skip 1 index 0 using 2 nooutput
set xrange [0.75*STATS_min:1.3*STATS_max]
set yrange [0.95:1.07]
set xtics (5, 10, 20, 30, 50, 100, 200, 400)
set ytics 0.02
set key right top samplen 1 noopaque
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lt 8 lw 1.2 back
# Hollow: not every draw is proved.
plot "law.csv" skip 1 index 0 using ($2*0.98):12:13 with yerrorbars lt 1 pt 6 ps 0.9 lw 1.3 notitle, \
     "" skip 1 index 0 using ($2*0.98):($14 == $16 ? $12 : NaN) with points lt 1 ps 0.9 title "original / its law", \
     "" skip 1 index 1 using ($2*1.02):12:13 with yerrorbars lt 2 pt 4 ps 0.9 lw 1.3 notitle, \
     "" skip 1 index 1 using ($2*1.02):($14 == $16 ? $12 : NaN) with points lt 2 ps 0.9 title "decoupled / its law"
unset label 900
unset logscale
set title "other shapes, original problem"
unset xlabel
unset ylabel
unset key
stats "law.csv" skip 1 index 3 using 12 nooutput
set xrange [-0.7:STATS_records + 3.7]
set yrange [0.92:1.1]
set ytics 0.05
set xtics rotate by 45 right font ",9"
set xtics ("" 0)
plot "law.csv" skip 1 index 2 using 0:12:13:xtic(19) with yerrorbars lt 3 ps 0.9 lw 1.3, \
     "" skip 1 index 3 using ($0+4):12:13:xtic(19) with yerrorbars lt 4 ps 0.9 lw 1.3
unset arrow 1
set title "chance that all facts fit"
set xlabel "facts / facts that fit by the law" offset 0,-0.3
set ylabel "share of draws" offset 2,0
set xrange [0.88:1.1]
set xtics norotate autofreq 0.05 font ",13"
set yrange [0:1.04]
set ytics 0.25
set key left bottom reverse Left samplen 1 noopaque font ",9"
plot for [i=0:1] "law_chance.csv" skip 1 index i using 3:5 with lines lt i+1 lw 2 title sprintf("law, d = %d", dims[i+1]), \
     for [i=0:1] "" skip 1 index i using 3:4 with steps lt i+1 lw 1.2 dt 3 title sprintf("original, d = %d", dims[i+1]), \
     for [i=0:1] "" skip 1 index i+2 using 3:4 with steps lt i+1 lw 1.2 dt 2 title sprintf("decoupled, d = %d", dims[i+3])
unset multiplot
