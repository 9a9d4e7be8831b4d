# Wider than other figures: the colour scale stands beside the diagram.
eval canvas(760, 440)
data = "attention_trainability.csv"
stats data using 1:2 skip 1 nooutput
left = STATS_min_x; right = STATS_max_x; bottom = STATS_min_y; top = STATS_max_y
stats data using 15:16 skip 1 nooutput
wall = STATS_max_x; wall_limit = STATS_max_y
stats data using ($13 < 1e9 ? $13 : 1e9) skip 1 nooutput
highest = STATS_max # of the line of rank collapse
set view map
set xrange [left:right]
set yrange [bottom:top]
set cbrange [0:1]
set xlabel "query-key scale β" offset 0,0.2
set ylabel "residual strength of attention" offset 0,0
set cblabel "ρ after the last layer" offset 1,0
set lmargin at screen 0.12
set rmargin at screen 0.70
set bmargin at screen up(0.15)
set tmargin at screen up(0.97)
unset grid
set border 31
set tics out scale 0.5
set palette defined (0 "#ffffff", 0.5 "#9fd0ee", 0.8 "#56B4E9", 0.95 "#0072B2", 1 "#22303c")
set colorbox vertical user origin 0.76,up(0.16) size 0.025,0.5
set key at screen 0.985, screen up(0.955) right top Left reverse samplen 2.4
inside(x) = x > bottom && x < top ? x : NaN
if (wall > left && wall < right) set arrow 1 from wall, bottom to wall, top nohead lc rgb red lw 2.5 front
if (wall_limit > left && wall_limit < right) set arrow 2 from wall_limit, bottom to wall_limit, top nohead lc rgb red lw 2 dt 2 front
# Trainable cells are dotted: neither alike tokens, nor exploding gradients, nor a rate that is too large.
set pm3d map
if (format ne "svg") set pm3d interpolate 3,3 # a vector picture would become huge
here = wall > left && wall < right
shade = here && (wall - left) < 0.28 * (right - left) # no room beside the line
set style textbox opaque noborder fillcolor rgb "#e8f4fb"
if (highest > bottom + 0.15 * (top - bottom)) set label 2 "rank collapse" at graph (shade ? (wall - left) / (right - left) + 0.03 : 0.03), graph 0.06 tc rgb "white" front
if (here) set label 3 "entropy collapse" at wall + 0.03 * (right - left), bottom + 0.94 * (top - bottom) tc rgb "#222222" boxed front
splot data using 1:2:3 skip 1 with pm3d notitle, \
      data using 1:($9 == 1 ? $2 : NaN):(1) skip 1 with points pt 7 ps 0.22 lc rgb '#00704f' notitle, \
      NaN with points pt 7 ps 0.4 lc rgb '#00704f' title "trainable", \
      data using 1:(inside($13)):(1) skip 1 every 1:1:0::0 with lines lc rgb orange lw 2.5 notitle, \
      data using 1:(inside($14)):(1) skip 1 every 1:1:0::0 with lines lc rgb orange lw 2 dt 2 notitle, \
      NaN with lines lc rgb "#555555" lw 2.5 title "at this T", \
      NaN with lines lc rgb "#555555" lw 2 dt 2 title "T → ∞"
