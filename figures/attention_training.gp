# Runs over the change by a step of Adam and the growth of gradients. Columns: 5 width, 9 steps, 13, 14 and 27 losses of
# unigrams, network and bigrams, 25 decoder, 28 1 - rho, 29 growth, 30 change by a step.
eval canvas(800, 440)
data = "attention_training_runs.csv"
learned = 0.03
gain(a, b, c, decoder) = (decoder ? c : a) - b
set datafile missing ""
set logscale xy
set xrange [0.02:20]
set yrange [1e-4:1e12]
set format y "10^{%L}"
set xtics (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20)
set xlabel "change of the function by a step of Adam, U"
set ylabel "growth of gradients, |∂L/∂x|²"
set lmargin at screen 0.12
set rmargin at screen 0.70
set bmargin at screen up(0.14)
set tmargin at screen up(0.97)
set key at screen 0.99, screen up(0.955) right top Left reverse samplen 1.8
set object 1 rectangle from graph 0, first 1000 to graph 1, graph 1 fc rgb "#f3e3d3" fs solid 0.6 noborder behind
set object 2 rectangle from first 2.8, graph 0 to graph 1, first 1000 fc rgb "#e0e0e0" fs solid 0.6 noborder behind
set arrow 1 from 2.8, graph 0 to 2.8, first 1000 nohead lc rgb "#444444" lw 2 front
set arrow 2 from 5.5, graph 0 to 5.5, first 1000 nohead lc rgb "#444444" lw 2 dt 2 front
set label 1 "gradients explode" at graph 0.02, graph 0.95 tc rgb "#333333" front
set label 2 "rate too large" at first 3.1, graph 0.04 tc rgb "#333333" front
inside(y) = y < 1e-4 ? 1.5e-4 : y > 1e12 ? 7e11 : y
# Rank collapse and too few steps are the other two reasons; such runs are drawn small.
apart(d, u, n) = d < 1e-3 || u * n < 280
mark(yes, g, d, u, n) = yes ? (g > learned ? 1 : NaN) : (g > learned ? NaN : apart(d, u, n) ? 0.55 : 1)
plot data using (column(25) == 0 ? $30 : NaN):(inside($29)):(1.4 * mark(1, gain($13, $14, 0, 0), $28, $30, $9)) skip 1 with points pt 7 ps variable lc rgb blue notitle, \
     data using (column(25) == 1 ? $30 : NaN):(inside($29)):(1.4 * mark(1, gain($13, $14, $27, 1), $28, $30, $9)) skip 1 with points pt 5 ps variable lc rgb green notitle, \
     data using (column(25) == 0 ? $30 : NaN):(inside($29)):(1.2 * mark(0, gain($13, $14, 0, 0), $28, $30, $9)) skip 1 with points pt 2 ps variable lc rgb "#222222" lw 1.5 notitle, \
     data using (column(25) == 1 ? $30 : NaN):(inside($29)):(1.2 * mark(0, gain($13, $14, $27, 1), $28, $30, $9)) skip 1 with points pt 1 ps variable lc rgb "#222222" lw 1.5 notitle, \
     NaN with points pt 7 ps 1.4 lc rgb blue title "encoder learned", \
     NaN with points pt 5 ps 1.4 lc rgb green title "decoder learned", \
     NaN with points pt 2 ps 1.2 lc rgb "#222222" lw 1.5 title "encoder did not", \
     NaN with points pt 1 ps 1.2 lc rgb "#222222" lw 1.5 title "decoder did not", \
     NaN with points pt 2 ps 0.6 lc rgb "#222222" lw 1.5 title "small: rank or steps", \
     NaN with lines lc rgb "#444444" lw 2 title "largest U, encoder", \
     NaN with lines lc rgb "#444444" lw 2 dt 2 title "decoder"
