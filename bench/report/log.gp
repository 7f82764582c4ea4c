# Dots on a logarithmic axis, a line per operation and backend, ± one standard deviation, with ×N beside the stores.
# gnuplot -e "csv='…'; output_file='…'; kind='svg'" log.gp
# Columns: panel, operation, slot, backend, colour, point, median_us, low_us, high_us, labelled, times.
set datafile separator tab
set datafile columnheaders
array operations[100]
array backends[20]
array colours[20]
array points[20]
stats csv using (operations[int(column("panel"))] = stringcolumn("operation"), \
  backends[int(column("slot"))] = stringcolumn("backend"), colours[int(column("slot"))] = column("colour"), \
  points[int(column("slot"))] = column("point"), column("panel")):(column("slot")) name "S" nooutput
stats csv using (column("low_us")):(column("high_us")) name "R" nooutput
panels = int(S_max_x)
slots = int(S_max_y)
width = 1200
height = 130 + panels * (slots * 15 + 14)
if (kind eq "svg") {
  set terminal svg size width, height dynamic font "DejaVu Sans,Arial,sans-serif,12" background "white"
} else {
  set terminal pngcairo size width, height font "DejaVu Sans,10" background "white"
}
set output output_file
set lmargin 34
set rmargin 6
set tmargin 5
set bmargin 4
set border 3
set key above center horizontal samplen 1 spacing 1.2
set logscale x
# From the decade below the smallest value to somewhat above the largest, so that the labels fit.
set xrange [10 ** floor(log10(R_min_x)):R_max_y * 6]
set yrange [panels + 0.5:0.5]
set xlabel "median time (logarithmic)"
set xtics nomirror ("1 ns" 0.001, "10 ns" 0.01, "100 ns" 0.1, "1 µs" 1, "10 µs" 10, "100 µs" 100, "1 ms" 1000, \
  "10 ms" 1e4, "100 ms" 1e5, "1 s" 1e6, "10 s" 1e7, "100 s" 1e8)
set grid xtics linecolor rgb "#dddddd" linetype 1
unset ytics
do for [p = 1:panels] {
  set label p operations[p] at graph -0.01, first p right
  if (p < panels) { set arrow p from graph 0, first p + 0.5 to graph 1, first p + 0.5 nohead linecolor rgb "#eeeeee" }
}
y(slot) = (slot - (slots + 1) / 2.0) * 0.85 / slots
plot for [k = 1:slots] csv using (column("slot") == k ? column("median_us") : NaN):(column("panel") + y(k)):(column("low_us")):(column("high_us")) \
    with xerrorbars pointtype points[k] pointsize 1 linewidth 1.2 linecolor rgb colours[k] title backends[k], \
  csv using (column("labelled") == 1 ? column("high_us") * 1.12 : NaN):(column("panel") + y(column("slot"))):(stringcolumn("times")) \
    with labels left font ",9" notitle
