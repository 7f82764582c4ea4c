# shellcheck shell=bash
# The same statements must give the same rows on every backend before anything is timed. The corpus is
# bench/conformance/*.sql; it prints ids by order of creation, because stores reuse ids and tables do not.

# conformance_run: dies at the first difference from the native table.
conformance_run() {
  local backend file name reference=native out=$WORK/conformance
  mkdir -p "$out/reference"
  if [[ " ${BACKENDS[*]} " != *" native "* ]]; then
    sql -f "$BENCH_ROOT/backends/native/schema.sql" >/dev/null
  fi
  for file in "$BENCH_ROOT"/conformance/*.sql; do
    name=$(basename "$file" .sql)
    conformance_file "$reference" "$file" "$out/reference/$name.out"
    [[ -s $out/reference/$name.out ]] || die "conformance: $name says nothing"
    for backend in "${BACKENDS[@]}"; do
      conformance_file "$backend" "$file" "$out/$name.$backend.out"
      diff -u --label "$reference: $name" --label "$backend: $name" "$out/reference/$name.out" "$out/$name.$backend.out" >&2 ||
        die "conformance: $backend differs from $reference in $name"
    done
  done
  if [[ " ${BACKENDS[*]} " != *" native "* ]]; then
    sql -c 'DROP SCHEMA native CASCADE' 2>/dev/null
  fi
  log "conformance: ${BACKENDS[*]} answer alike"
}

# conformance_file BACKEND FILE OUT: errors are part of the answer, as their SQLSTATE. A lost server is not.
conformance_file() {
  PGOPTIONS="-c search_path=$1,pg_temp" psql -XAtq -v VERBOSITY=sqlstate -v ON_ERROR_STOP=0 \
    -f "$BENCH_ROOT/conformance/prelude.psql" -f "$2" 2>&1 |
    sed -E 's/^psql:[^ ]*: //' >"$3" || die "conformance: $1 could not run ${2##*/}"
}
