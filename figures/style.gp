# Common look of all figures. Expects: name, format; file: where the picture goes. Colours are the Okabe-Ito set, safe for colour-blind readers.
if (!exists("file"))   file   = name.".".format
if (!exists("width"))  width  = 640
if (!exists("height")) height = 420
if (format eq "svg") set terminal svg size width,height font "DejaVu Sans,13" background rgb "white" dynamic
if (format eq "png") set terminal pngcairo size 2*width,2*height font "DejaVu Sans,12" fontscale 2 linewidth 2 pointscale 2 background rgb "white"
if (format eq "pdf") set terminal pdfcairo size width/150.0,height/150.0 font "DejaVu Sans,9" linewidth 1.2
set output file
set datafile separator ","
set encoding utf8
black  = "#000000"
orange = "#E69F00"
sky    = "#56B4E9"
green  = "#009E73"
yellow = "#F0E442"
blue   = "#0072B2"
red    = "#D55E00"
pink   = "#CC79A7"
grey   = "#888888"
set linetype 1 lc rgb blue   lw 2 pt 7
set linetype 2 lc rgb red    lw 2 pt 5
set linetype 3 lc rgb green  lw 2 pt 9
set linetype 4 lc rgb orange lw 2 pt 11
set linetype 5 lc rgb pink   lw 2 pt 13
set linetype 6 lc rgb sky    lw 2 pt 4
set linetype 7 lc rgb black  lw 2 pt 6
set linetype 8 lc rgb grey   lw 2 pt 8
set grid lc rgb "#dddddd" lw 0.7
set border 3 lc rgb "#444444"
set tics nomirror
set key opaque
