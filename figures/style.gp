# Common look of all figures. Expects: name, format; file: where the picture goes. Colours are the Okabe-Ito set, safe for colour-blind readers.
if (!exists("file"))   file   = name.".".format

# The note of a figure (sizes, draws, what the bars are) stands in a strip of its own under the picture.
note       = system("cat ".name."_note.txt 2>/dev/null")
note_lines = system("cat ".name."_note.txt 2>/dev/null | wc -l") + 0
strip      = note_lines > 0 ? 8 + 15 * note_lines : 0

# eval canvas(W, H): a picture of W x H and the strip. At 560 a picture fits a paper's column, at 800 its page.
terminal(w, h) = format eq "svg" ? sprintf("set terminal svg size %d,%d font 'DejaVu Sans,13' background rgb 'white' dynamic", w, h + strip) : format eq "png" ? sprintf("set terminal pngcairo size %d,%d font 'DejaVu Sans,13' fontscale 1.5 linewidth 2 pointscale 2 background rgb 'white'", 2 * w, 2 * (h + strip)) : sprintf("set terminal pdfcairo size %g,%g font 'DejaVu Sans,7.8' linewidth 1", w / 120.0, (h + strip) / 120.0)
canvas(w, h) = terminal(w, h).sprintf("; set output file; width = %d.0; height = %d.0; set label 900 note at screen 10.0/width,(strip-10.0)/(height+strip) font ',10' tc rgb '#555555' noenhanced", w, h)

# A height in the picture, from 0 to 1, as a height of the whole.
up(y) = (y * height + strip) / (height + strip)

# Bars of shares end at 0 and 1.
low(share, bar)  = share - bar < 0 ? 0 : share - bar
high(share, bar) = share + bar > 1 ? 1 : share + bar

eval canvas(560, 380)
set bmargin at screen up(0.15)
set tmargin at screen up(0.96)
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
set pointintervalbox 0.01 # no white halo around the points of error bars (0 would be the usual one)
set errorbars small
set title offset 0,-0.5
