# Three diagrams side by side, one for each learning rate: a square for every scale and strength, what fails there by its colour.
eval canvas(800, 360)
set multiplot
set xrange [-0.5:2.5]
set yrange [-0.5:3.5]
set xtics ("0.3" 0, "2" 1, "10" 2) scale 0
set ytics ("1" 0, "2" 1, "4" 2, "8" 3) scale 0
set xlabel "query-key scale β"
set bmargin at screen up(0.16)
set tmargin at screen up(0.79)
unset grid
unset key
place(beta) = beta < 1 ? 0 : beta < 5 ? 1 : 2
height_of(r) = log(r) / log(2)
colour(what) = what eq "rank" ? 0xcdcdcd : what eq "gradients" ? 0xfadeb2 : what eq "rate" ? 0xf4d0e2 : 0xffffff
set palette defined (0 "#ffffff", 0.05 "#cde9f7", 0.15 "#56B4E9", 0.3 "#0072B2")
set cbrange [0:0.3]
set colorbox horizontal user origin 0.72,up(0.925) size 0.24,0.03
set cbtics 0.1 offset 0,0.6
set label 10 "nats gained:" at screen 0.71,up(0.945) right
set object 11 rectangle from screen 0.02,screen up(0.925) to screen 0.045,screen up(0.965) fc rgb "#cdcdcd" fs solid noborder
set label 11 "rank collapse" at screen 0.052,up(0.945)
set object 12 rectangle from screen 0.19,screen up(0.925) to screen 0.215,screen up(0.965) fc rgb "#fadeb2" fs solid noborder
set label 12 "gradients explode" at screen 0.222,up(0.945)
set object 13 rectangle from screen 0.405,screen up(0.925) to screen 0.43,screen up(0.965) fc rgb "#f4d0e2" fs solid noborder
set label 13 "rate too large" at screen 0.437,up(0.945)
rates = "0.00025 0.001 0.004"
do for [i=1:3] {
  rate = word(rates, i) + 0
  same(x) = abs(x / rate - 1) < 0.01
  set title "rate ".word(rates, i)
  set lmargin at screen 0.07 + (i - 1) * 0.315
  set rmargin at screen 0.07 + (i - 1) * 0.315 + 0.285
  if (i == 1) { set ylabel "strength of both skips" }
  if (i > 1) { unset ylabel; unset label 900; unset label 10; unset label 11; unset label 12; unset label 13; unset object 11; unset object 12; unset object 13; unset colorbox; set format y "" }
  plot "attention_stories.csv" using (same($3) ? place($1) : NaN):(height_of($2)):(0.48):(0.48):(colour(strcol(7))) skip 1 with boxxyerror lc rgb variable fs solid border rgb "#aaaaaa", \
       "attention_stories_runs.csv" using (same($3) ? place($1) : NaN):(height_of($2)):($13 - $14) skip 1 with points pt 7 ps 2 lc palette, \
       "" using (same($3) ? place($1) : NaN):(height_of($2)) skip 1 with points pt 6 ps 2 lc rgb "#444444" lw 0.8, \
       "" using (same($3) && $13 - $14 < 0.03 ? place($1) : NaN):(height_of($2)) skip 1 with points pt 2 ps 1 lc rgb black lw 1.5
}
unset multiplot
