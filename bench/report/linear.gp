# Bars of medians on linear axes from zero, one panel per operation, one bar per backend, ± one standard deviation.
# gnuplot -e "csv='…'; output_file='…'; kind='svg'" linear.gp
# Columns: panel, operation, slot, backend, colour, unit, low, high, bar.
if (!exists("quantity")) { quantity = "time, " }
set datafile separator tab
set datafile columnheaders
array operations[100]
array units[100]
array backends[20]
array colours[20]
array highest[100]
do for [p = 1:100] { highest[p] = 0 }
stats csv using (operations[int(column("panel"))] = stringcolumn("operation"), \
  units[int(column("panel"))] = stringcolumn("unit"), backends[int(column("slot"))] = stringcolumn("backend"), \
  colours[int(column("slot"))] = column("colour"), \
  highest[int(column("panel"))] = column("high") > highest[int(column("panel"))] ? column("high") : highest[int(column("panel"))], \
  column("panel")):(column("slot")) name "S" nooutput
panels = int(S_max_x)
slots = int(S_max_y)
columns = panels < 4 ? panels : 4
rows = (panels + columns - 1) / columns
width = 1200
height = 70 + 260 * rows
if (kind eq "svg") {
  set terminal svg size width, height dynamic font "DejaVu Sans,Arial,sans-serif,12" background "white"
} else {
  set terminal pngcairo size width, height font "DejaVu Sans,10" background "white"
}
set output output_file
set multiplot
top = 1.0 - 60.0 / height
panel_height = top / rows
panel_width = 1.0 / columns

# The legend, in a strip of its own.
set size 1, 60.0 / height
set origin 0, top
unset border
unset tics
set key center center horizontal samplen 1.5 spacing 1.2 width 1
set xrange [0:1]
set yrange [0:1]
plot for [k = 1:slots] NaN with boxes fill solid 1 noborder linecolor rgb colours[k] title backends[k]

unset key
set border 3
set style fill solid 1 noborder
set boxwidth 0.8
set ytics nomirror
set lmargin 9
set rmargin 2
set grid ytics linecolor rgb "#dddddd" linetype 1
set xrange [0.4:slots + 0.6]
set size panel_width, panel_height
do for [p = 1:panels] {
  set origin ((p - 1) % columns) * panel_width, top - ((p - 1) / columns + 1) * panel_height
  set title operations[p]
  set ylabel quantity.units[p]
  set yrange [0:highest[p] > 0 ? highest[p] * 1.05 : 1]
  set format y "%g"
  unset xtics
  plot csv using (column("panel") == p ? column("slot") : NaN):(column("bar")):(column("colour")) with boxes linecolor rgb variable, \
    csv using (column("panel") == p ? column("slot") : NaN):(column("low")):(0):(column("high") - column("low")) \
      with vectors heads size graph 0.02,90 linecolor rgb "#444444" linewidth 1.2
}
unset multiplot
