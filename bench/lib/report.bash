# shellcheck shell=bash
# From the raw CSV files to report.md, report.html and the charts, by SQL and gnuplot alone. The same files give the same
# bytes. Requires session.bash and a server.

# report_make DIR: DIR holds the raw results; the report is put beside them. Dies when they must be rejected.
report_make() {
  local dir=$1
  (
    cd -- "$dir" || exit
    sql -c 'DROP SCHEMA IF EXISTS report CASCADE' 2>/dev/null
    for file in load tables more_tables pages; do
      sql -f "$BENCH_ROOT/report/$file.sql" >/dev/null
    done
    sql -c 'CALL report.compose()'
    rm -rf -- charts
    mkdir charts
    report_charts
    cp -- "$BENCH_ROOT/HONESTY.md" .
    sql -f "$BENCH_ROOT/report/markdown.sql" >report.md
    report_html >report.html
    [[ -z $README ]] || report_readme "$README"
  )
}

# report_charts: charts/NAME.{svg,png} for every chart in report.charts.
report_charts() {
  local name program source options kind query csv=$WORK/chart.csv
  while IFS=$'\t' read -r name program source options; do
    case $source in
      bars) query="SELECT * FROM report.chart_rows WHERE section = :'section' ORDER BY panel, slot" ;;
      bytes) query="SELECT * FROM report.byte_bars WHERE chart = :'name' ORDER BY panel, slot" ;;
      curves) query="SELECT * FROM report.curves WHERE chart = :'name' ORDER BY panel, slot, x" ;;
      heat) query="SELECT * FROM report.heat_cells ORDER BY panel, line, slot" ;;
    esac
    sql --csv -P csv_fieldsep=$'\t' -P tuples_only=off -v name="$name" -v section="${name%-*}" >"$csv" <<<"$query;"
    for kind in svg png; do
      LC_ALL=C.UTF-8 gnuplot -e "csv='$csv'; output_file='charts/$name.$kind'; kind='$kind'; $options" \
        "$BENCH_ROOT/report/$program.gp" >&2 </dev/null || die "gnuplot failed: $name.$kind"
      [[ -s charts/$name.$kind ]] || die "gnuplot drew nothing: $name.$kind"
    done
  done < <(sql -F $'\t' -c 'SELECT name, program, source, options FROM report.charts ORDER BY name')
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
      line=${line#@chart }
      report_inline_svg "${line%%$'\t'*}" "${line#*$'\t'}"
    else
      printf '%s\n' "$line"
    fi
  done
  printf '%s\n' '</main>' '</body>' '</html>'
}

# report_inline_svg NAME TITLE: the drawing without its XML head, with a title for those who cannot see it; TITLE is safe
# inside HTML. Ids are made unique within the page.
report_inline_svg() {
  local title=${2//&/\\&}
  sed -E -e '1,/^<svg/{/^<svg/!d}' -e "s/( id=[\"']|url\(#|xlink:href=[\"']#)/\1$1-/g" \
    -e "s|^<svg|<svg role=\"img\" aria-label=\"${title//|/ }\"|" "charts/$1.svg"
}

# report_readme FILE: puts the short form of the report between the markers in FILE, which must be exactly one pair in
# order, and what it refers to into bench/results/ beside FILE. The current directory holds the result.
report_readme() {
  local file=$1 block=$WORK/readme begin='<!-- results:begin -->' end='<!-- results:end -->' target
  awk -v begin="$begin" -v end="$end" '
    index($0, begin) { begins++; first = NR } index($0, end) { ends++; last = NR }
    END { exit !(begins == 1 && ends == 1 && first < last) }' "$file" ||
    die "--readme: $file does not hold exactly one '$begin' before one '$end'"
  sql -f "$BENCH_ROOT/report/readme.sql" >"$block"
  [[ -s $block ]] || die "--readme: there is nothing to say"
  target=$(dirname -- "$file")/bench/results
  rm -rf -- "$target"
  mkdir -p "$target/charts"
  cp -- report.md HONESTY.md ./*.csv "$target/"
  rm -f -- "$target"/{transactions,graph_nodes}.csv
  cp -- charts/*.png "$target/charts/"
  awk -v begin="$begin" -v end="$end" -v block="$block" '
    index($0, end) { inside = 0 }
    !inside { print }
    index($0, begin) { inside = 1; while ((getline line < block) > 0) print line }' "$file" >"$WORK/readme.new"
  cat -- "$WORK/readme.new" >"$file"
}
