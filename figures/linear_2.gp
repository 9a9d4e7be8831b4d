eval canvas(800, 390)
array kappas[16]
array laws[16]
array limits[16]
do for [i=0:15] { stats "linear_2_law.csv" skip 1 every ::i::i using (kappas[i+1]=$3, laws[i+1]=$4, limits[i+1]=$5) nooutput }
set multiplot layout 1,2 margins 0.075,0.985,up(0.14),up(0.91) spacing 0.055,0.1
set xlabel "load  α = p log p / d²" offset 0,0.3
set ylabel "share of facts recalled" offset 1.3,0
set xrange [0:1.38]
set xtics 0.2
set yrange [0:1.05]
set ytics 0.2
unset key
# Blocks of linear_2.csv: problem, size, rank; hollow points are the smaller size.
do for [p=0:1] {
    set title (p == 0 ? "original problem" : "decoupled problem")
    do for [i=1:4] { set arrow i from laws[8*p+4+i],0 to laws[8*p+4+i],1.0 nohead lt i dt 2 lw 1.2 back }
    do for [i=1:4] { set arrow 4+i from limits[i],0 to limits[i],0.06 nohead lt i lw 3 back }
    if (p == 1) { unset label 900; unset ylabel; set key at graph 0.005,0.1 left bottom Left reverse samplen 1 width -3 noopaque font ",10" }
    plot for [i=0:3] "linear_2.csv" skip 1 index 8*p+i using 4:6:(low($6, $7)):(high($6, $7)) with yerrorbars lt i+1 pt (i == 0 ? 6 : i == 1 ? 4 : i == 2 ? 8 : 10) lw 0.8 ps 0.5 notitle, \
         for [i=0:3] "" skip 1 index 8*p+4+i using 4:6 with lines lt i+1 lw 1.5 notitle, \
         for [i=0:3] "" skip 1 index 8*p+4+i using 4:6:(low($6, $7)):(high($6, $7)) with yerrorbars lt i+1 lw 1.3 ps 0.6 title sprintf("rank %g d", kappas[i+1]), \
         "linear_2.csv" skip 1 index 17 using ($4 + (p ? 9 : 0)):6:(low($6, $7)):(high($6, $7)) with yerrorbars lt 7 pt 12 ps 0.6 lw 1 title (p == 1 ? "Hebb" : ""), \
         "linear_2_hebbian.csv" skip 1 using ($1 + (p ? 9 : 0)):2 with lines lt 7 dt 4 lw 1.5 title (p == 1 ? "formula" : "")
}
unset multiplot
