# Left: singular values of every matrix over its largest. Right, when there are ordinary keys: what their directions hold.
keys = system("test -s layer_keys.csv && echo 1 || echo 0") + 0
stats "layer.csv" skip 1 using 2 nooutput
count = int(STATS_blocks)
if (keys) set multiplot layout 1,2
set xlabel "place of the singular value" offset 0,0.3
set ylabel "singular value / largest" offset 1,0
set xrange [0:1]
set yrange [0:1.02]
unset key
plot for [i=0:count-1] "layer.csv" skip 1 index i using 2:3 with lines lt (i%8)+1 lw (count > 8 ? 0.8 : 2)
if (keys) {
set xlabel "directions of ordinary keys" offset 0,0.3
set ylabel "share of their square" offset 1,0
set xrange [1:*]
set logscale x
plot "layer_keys.csv" skip 1 using 1:2 with lines lt 1 lw 2, 0.99 with lines lt 8 dt 2 lw 1
unset multiplot
}
