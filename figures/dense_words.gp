eval canvas(800, 430)
set multiplot layout 1,2 margins 0.08,0.985,up(0.14),up(0.92) spacing 0.09,0.1
set xlabel "angle between query and pattern (degrees)" offset 0,0.3
set xrange [0:90]
set xtics 15
set yrange [0:105]
degrees(x) = x * 180 / pi
array lambda[4] = [0.15, 0.25, 0.5, 1]
colours = "#0072B2 #D55E00 #009E73 #E69F00"
set key noopaque at graph 0.03,0.06 bottom left reverse Left samplen 1.5 spacing 1.15
array title[2] = ["10 085 words, whitened", "the same words, only centred"]
array block[2] = [0, 8]
do for [i=1:4] {
  stats "dense_words.csv" skip 1 index i-1 using (angle=degrees($6)) nooutput
  set arrow i from angle, graph 0 to angle, graph 0.95 nohead dt 3 lw 1.5 lc rgb word(colours, i)
}
do for [k=1:2] {
  set title title[k]
  if (k == 2) { unset label 900 }
  if (k == 1) { set ylabel "retrieved (%)" offset 2,0 } else { unset ylabel; unset key }
  plot for [i=1:4] "dense_words.csv" skip 1 index 4+i-1 using (degrees($3)):(100*$4) with lines lc rgb word(colours, i) lw 1.2 notitle, \
       for [i=1:4] "" skip 1 index block[k]+i-1 using (degrees($3)):(100*$4) with points lt i ps 0.7 title sprintf("λ = %g", lambda[i]), \
       NaN with lines lc rgb black lw 1.2 title "random patterns", \
       NaN with lines lc rgb black dt 3 lw 1.5 title "θ_c"
}
unset multiplot
