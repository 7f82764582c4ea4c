# A coloured cell per operation and store: blue is faster than the baseline, red slower, grey cannot be told.
# gnuplot -e "csv='…'; output_file='…'; kind='svg'" heatmap.gp
# Columns: panel, line, operation, slot, backend, heat (log2 of the ratio, -3 to 3), same, times.
set datafile separator tab
set datafile columnheaders
array backends[20]
stats csv using (backends[int(column("slot"))] = stringcolumn("backend"), column("panel")):(column("slot")) name "S" nooutput
stats csv using (column("line")) name "L" nooutput
panels = int(S_max_x) + 1
slots = int(S_max_y)
lines = int(L_max) + 1
width = 1300
height = panels * (60 + 18 * lines)
if (kind eq "svg") {
  set terminal svg size width, height dynamic font "DejaVu Sans,Arial,sans-serif,12" background "white"
} else {
  set terminal pngcairo size width, height font "DejaVu Sans,10" background "white"
}
set output output_file
set multiplot layout panels, 1
unset key
unset border
unset ytics
set lmargin 1
set rmargin 2
set tmargin 3
set bmargin 0
set style fill solid 1 noborder
set xrange [0.5 - 0.9 * (slots > 1 ? slots : 2):slots + 0.5]
set x2range [0.5 - 0.9 * (slots > 1 ? slots : 2):slots + 0.5]
set yrange [lines - 0.5:-0.5]
unset xtics
set x2tics scale 0 ()
do for [k = 1:slots] { set x2tics add (backends[k] k) noenhanced }
# Away from white with the size of the ratio: blue (0,114,178), red (213,94,0) of the colour-blind safe palette.
mix(full, share) = int(255 + (full - 255) * share)
share(h) = 0.15 + 0.75 * abs(h) / 3.0
shade(h, same) = same == 1 ? 0xdddddd : h > 0 ? 65536 * mix(0, share(h)) + 256 * mix(114, share(h)) + mix(178, share(h)) \
  : 65536 * mix(213, share(h)) + 256 * mix(94, share(h)) + mix(0, share(h))
do for [p = 0:panels - 1] {
  plot csv using (column("panel") == p ? column("slot") : NaN):(column("line")):(column("slot") - 0.48):(column("slot") + 0.48): \
      (column("line") - 0.46):(column("line") + 0.46):(shade(column("heat"), column("same"))) with boxxyerror linecolor rgb variable, \
    csv using (column("panel") == p ? column("slot") : NaN):(column("line")):(stringcolumn("times")) with labels font ",10", \
    csv using (column("panel") == p && column("slot") == 1 ? 0.46 : NaN):(column("line")):(stringcolumn("operation")) with labels right noenhanced font ",10"
}
unset multiplot
