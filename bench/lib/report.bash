# shellcheck shell=bash
# From the raw CSV files to report.md, report.html and the charts, by SQL and gnuplot alone. The same files give the same
# bytes. Requires session.bash and a server.

# report_make DIR: DIR holds the raw results; the report is put beside them. Dies when they must be rejected.
report_make() {
  local dir=$1 section sections
  (
    cd -- "$dir" || exit
    sql -c 'DROP SCHEMA IF EXISTS report CASCADE' 2>/dev/null
    for file in load tables pages; do
      sql -f "$BENCH_ROOT/report/$file.sql" >/dev/null
    done
    sql -c 'CALL report.compose()'
    rm -rf -- charts
    mkdir charts
    sections=$(sql -c "SELECT section FROM report.sections WHERE section IN (SELECT section FROM report.section_rows)
      AND 'bars' = ANY (charts) ORDER BY position")
    for section in $sections; do
      report_charts "$section"
    done
    sql -f "$BENCH_ROOT/report/markdown.sql" >report.md
    report_html >report.html
  )
}

# report_charts SECTION: charts/SECTION-{linear,log}.{svg,png}.
report_charts() {
  local section=$1 scale kind csv=$WORK/chart.csv
  sql --csv -P tuples_only=off -v section="$section" >"$csv" \
    <<<"SELECT * FROM report.chart_rows WHERE section = :'section' ORDER BY panel, slot;"
  for scale in linear log; do
    for kind in svg png; do
      LC_ALL=C.UTF-8 gnuplot -e "csv='$csv'; output_file='charts/$section-$scale.$kind'; kind='$kind'" \
        "$BENCH_ROOT/report/$scale.gp" >&2 || die "gnuplot failed: $section-$scale.$kind"
      [[ -s charts/$section-$scale.$kind ]] || die "gnuplot drew nothing: $section-$scale.$kind"
    done
  done
}

# report_html: the whole page, charts inside.
report_html() {
  local line
  printf '%s\n' '<!DOCTYPE html>' '<html lang="en">' '<head>' '<meta charset="utf-8">' \
    '<meta name="viewport" content="width=device-width, initial-scale=1">' '<title>doublets benchmark</title>' '<style>'
  cat -- "$BENCH_ROOT/report/style.css"
  printf '%s\n' '</style>' '</head>' '<body>' '<main>'
  sql -f "$BENCH_ROOT/report/html.sql" | while IFS= read -r line; do
    if [[ $line == '@chart '* ]]; then
      report_inline_svg "${line#@chart }"
    else
      printf '%s\n' "$line"
    fi
  done
  printf '%s\n' '</main>' '</body>' '</html>'
}

# report_inline_svg NAME: the drawing without its XML head; ids are made unique within the page.
report_inline_svg() {
  sed -E -e '1,/^<svg/{/^<svg/!d}' -e "s/( id=[\"']|url\(#|xlink:href=[\"']#)/\1$1-/g" \
    -e "s/^<svg/<svg role=\"img\" aria-label=\"$1\"/" "charts/$1.svg"
}
