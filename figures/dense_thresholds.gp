eval canvas(800, 430)
set multiplot layout 1,2 margins 0.08,0.985,up(0.14),up(0.92) spacing 0.09,0.1
set xlabel "1 / N" offset 0,0.3
set xtics 0.025
set key at graph 0.99,0.2 bottom right samplen 2 spacing 1.1 noopaque
array intercept[2]
array slope[2]
array curvature[2]
array limit[2]
do for [i=1:2] {
  stats "dense_thresholds_fit.csv" skip 1 index i-1 using (intercept[i]=$2, slope[i]=$3, curvature[i]=$4, limit[i]=$5) nooutput
}
array alpha[2] = [0.3, 0.5]
array top[2] = [0.65, 1.13]
array bottom[2] = [0.34, 0.68]
array reach[2] = [0.105, 0.13]
# Each panel names half of the marks: there is room for no more.
array converged[4] = ["radial map", "converged, direct", "converged, hybrid", "parabola in 1/N"]
array one[4] = ["one step, exact N", "one step, direct", "one step, tail sampler", "limit of the theory"]
do for [i=1:2] {
  set title sprintf("α = %g", alpha[i])
  set xrange [0:reach[i]]
  set yrange [bottom[i]:top[i]]
  if (i == 1) { set ylabel "λ that half of the draws need" offset 2,0 } else { unset ylabel }
  named(k, first) = first == (i == 1) ? (first ? converged[k] : one[k]) : ""
  if (i == 2) { unset label 900 }
  plot "dense_thresholds_theory.csv" skip 1 index i-1 using 3:5 with lines lt 1 lw 2.5 title named(1, 1), \
       "dense_thresholds.csv" skip 1 index i-1 using 3:6:7 with yerrorbars lt 1 pt 7 ps 0.9 title named(2, 1), \
       "dense_thresholds_far.csv" skip 1 index i-1 using 3:6:7 with yerrorbars lt 1 pt 6 ps 0.9 title named(3, 1), \
       intercept[i] + slope[i]*x + curvature[i]*x*x with lines lc rgb grey dt 2 lw 1.5 title named(4, 1), \
       "dense_thresholds_theory.csv" skip 1 index i-1 using 3:4 with lines lt 2 lw 2.5 title named(1, 0), \
       "dense_thresholds.csv" skip 1 index i-1 using 3:4:5 with yerrorbars lt 2 pt 5 ps 0.9 title named(2, 0), \
       "dense_thresholds_far.csv" skip 1 index i-1 using 3:4:5 with yerrorbars lt 2 pt 4 ps 0.9 title named(3, 0), \
       "+" using (0.0):(limit[i]) every ::0::0 with points lc rgb black pt 3 ps 1.3 title named(4, 0)
}
unset multiplot
