# Lines, a panel per operation, a series per backend.
# gnuplot -e "csv='…'; output_file='…'; kind='svg'; x_title='…'; y_title='…'; x_log=1; y_log=1" curves.gp
# x_log: 0 linear, 1 decades, 2 powers of two; shares=1: x is -log10(1 - share); dots=1: no lines.
# Columns: panel, operation, slot, backend, colour, point, x, y, label.
set datafile separator tab
set datafile columnheaders
array operations[100]
array backends[20]
array colours[20]
array points[20]
stats csv using (operations[int(column("panel"))] = stringcolumn("operation"), \
  backends[int(column("slot"))] = stringcolumn("backend"), colours[int(column("slot"))] = column("colour"), \
  points[int(column("slot"))] = column("point"), column("panel")):(column("slot")) name "S" nooutput
stats csv using (column("x")):(column("y")) name "R" nooutput
if (!exists("shares")) { shares = 0 }
if (!exists("dots")) { dots = 0 }
panels = int(S_max_x)
slots = int(S_max_y)
columns = panels < 3 ? panels : 3
rows = (panels + columns - 1) / columns
width = 1200
height = 90 + 320 * rows
if (kind eq "svg") {
  set terminal svg size width, height dynamic font "DejaVu Sans,Arial,sans-serif,12" background "white"
} else {
  set terminal pngcairo size width, height font "DejaVu Sans,10" background "white"
}
set output output_file
set multiplot
top = 1.0 - 70.0 / height
panel_height = top / rows
panel_width = 1.0 / columns

# The legend, in a strip of its own.
set size 1, 70.0 / height
set origin 0, top
unset border
unset tics
set key center center horizontal samplen 2 spacing 1.2 width 1
set xrange [0:1]
set yrange [0:1]
plot for [k = 1:slots] NaN with linespoints linecolor rgb colours[k] pointtype points[k] linewidth 1.5 title backends[k]

unset key
set border 3
set tics nomirror
set lmargin 11
set rmargin 5
set grid linecolor rgb "#dddddd" linetype 1
set xlabel x_title
set ylabel y_title
set autoscale
if (x_log == 1) { set logscale x }
if (x_log == 2) { set logscale x 2 }
if (y_log) { set logscale y } else { set yrange [0:*] }
if (y_log) { set format y "10^{%L}" } else { set format y "%g" }
if (x_log == 1) { set format x "10^{%L}" } else { set format x "%g" }
if (shares) { set xtics ("50 %%" 0.301, "90 %%" 1, "99 %%" 2, "99.9 %%" 3); set xrange [0:3.05] }
set size panel_width, panel_height
do for [p = 1:panels] {
  set origin ((p - 1) % columns) * panel_width, top - ((p - 1) / columns + 1) * panel_height
  set title operations[p]
  if (dots) {
    plot for [k = 1:slots] csv using (column("panel") == p && column("slot") == k ? column("x") : NaN):(column("y")) \
      with points linecolor rgb colours[k] pointtype points[k] pointsize 0.6
  } else {
    plot for [k = 1:slots] csv using (column("panel") == p && column("slot") == k ? column("x") : NaN):(column("y")) \
        with linespoints linecolor rgb colours[k] pointtype points[k] pointsize 0.8 linewidth 1.5, \
      csv using (column("panel") == p && stringcolumn("label") ne "-" ? column("x") : NaN):(column("y")):(stringcolumn("label")) with labels left offset 0.5,0 font ",9"
  }
}
unset multiplot
