# Time of a store at 0.95 of capacity against nodes: solid with 12.5 GB/s, dashed with 0.125; thin: the network's part.
set datafile separator ","
set logscale xy
set logscale x 2
set xlabel "nodes of 1 Tflop/s"
set ylabel "seconds"
set format y "10^{%T}"
set key right top samplen 3 noopaque
of(network, dim, column) = $1 == network && $2 == dim ? column : NaN
plot "cluster.csv" using 3:(of(12.5, 4096, $4)) with linespoints lt 1 title "d = 4096, 12.5 GB/s", \
     "" using 3:(of(0.125, 4096, $4)) with linespoints lt 1 dt 2 title "d = 4096, 0.125 GB/s", \
     "" using 3:(of(0.125, 4096, $5)) with lines lt 1 dt 3 lw 1 title "of it the network", \
     "" using 3:(of(12.5, 1000, $4)) with linespoints lt 2 title "d = 1000, 12.5 GB/s", \
     "" using 3:(of(0.125, 1000, $4)) with linespoints lt 2 dt 2 title "d = 1000, 0.125 GB/s"
