# shellcheck shell=bash
# The verbs. Results are made in a scratch directory and appear under their name only when all of them are there.
# Requires scripts/lib/{common,setup,cluster}.bash and the other libraries of bench/lib.

bench_main() {
  BENCH_ROOT=$DOUBLETS_ROOT/bench
  options_parse "$@"
  trap driver_cleanup EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  "verb_$VERB"
}

driver_cleanup() {
  local status=$?
  local children
  trap - EXIT
  children=$(jobs -p)
  # shellcheck disable=SC2086  # one word per process
  [[ -z $children ]] || kill $children 2>/dev/null || true
  server_close
  cluster_stop || true
  [[ -z ${PUBLISHING:-} ]] || rm -rf -- "$PUBLISHING"
  scratch_remove
  exit "$status"
}

# driver_scratch: a place for the cluster that is a real file system.
driver_scratch() {
  export TMPDIR=$DATA_DIRECTORY
  if [[ $(stat -f -c %T "$TMPDIR") == tmpfs ]]; then
    TMPDIR=/var/tmp
    [[ $(stat -f -c %T "$TMPDIR") != tmpfs ]] || die "$DATA_DIRECTORY and /var/tmp are on tmpfs: give --data-directory"
  fi
  scratch_create
  WORK=$SCRATCH/client RAW=$SCRATCH/client/raw
  mkdir -p "$RAW"
}

# driver_start: a private cluster, or the server that PG* variables name.
driver_start() {
  if ((SERVER)); then
    driver_path
    server_open
  else
    driver_cluster
  fi
}

# driver_setup: packages and extension, as far as the chosen backends need them.
driver_setup() {
  driver_scratch
  ((SETUP)) || return 0
  if [[ " ${BACKENDS[*]} " == *_volatile* ]]; then
    setup_all bench
  else
    setup_install bench
  fi
}

# driver_shared_buffers: MB; a quarter of the memory, from 128 to 2048.
driver_shared_buffers() {
  awk '$1 == "MemTotal:" { mb = int($2 / 4096); print (mb < 128 ? 128 : (mb > 2048 ? 2048 : mb)) }' /proc/meminfo
}

# The programs of the server's own version, and without the wrapper script that distributions put before them.
driver_path() {
  PATH=$("$PG_CONFIG" --bindir):$PATH
  export PATH
}

driver_cluster() {
  driver_path
  log "starting a private cluster"
  cluster_start "$SCRATCH/cluster" "shared_buffers=$(driver_shared_buffers)MB" max_wal_size=8GB checkpoint_timeout=1h \
    wal_level=replica fsync=on full_page_writes=on synchronous_commit=on autovacuum=off jit=off random_page_cost=1.1 \
    plan_cache_mode=auto max_parallel_workers_per_gather=0 work_mem=64MB synchronize_seqscans=off
  sql -d postgres -c 'CREATE DATABASE doublets_bench'
  export PGDATABASE=doublets_bench
}

verb_run() {
  local started
  : "${OUTPUT:=$DOUBLETS_ROOT/results/$(date -u +%Y%m%dT%H%M%SZ)}"
  statements_check
  driver_setup
  driver_start
  measure_prepare
  conformance_run
  fsync_measure
  real_inputs
  started=$SECONDS
  measure_all
  memory_measure
  core_measure "$RAW/core.csv"
  MEASURING_SECONDS=$((SECONDS - started))
  driver_export
  report_make "$RAW"
  driver_publish
}

# driver_export: the raw results as CSV, one observation a row.
driver_export() {
  local table order
  for table in operations backends runs samples sizes wal transactions waits degrees; do
    case $table in
      operations | backends) order=position ;;
      runs) order=run ;;
      samples | wal) order='workload, mode, operation, backend, repetition, sample' ;;
      transactions) order='run, sample, client, number' ;;
      waits) order='run, event' ;;
      degrees) order='graph, direction, degree' ;;
      sizes) order='workload, backend' ;;
    esac
    sql -c "\\copy (SELECT * FROM bench.$table ORDER BY $order) TO pstdout CSV HEADER" >"$RAW/$table.csv"
  done
  sql -c "\\copy (SELECT workload, mode, operation, backend, percentile_cont(0.5) WITHIN GROUP (ORDER BY wall_us) AS median_us FROM bench.samples GROUP BY workload, mode, operation, backend ORDER BY workload, mode, operation, backend) TO pstdout CSV HEADER" >"$RAW/medians.csv"
  provenance_write "$RAW/provenance.csv"
}


# driver_publish: copies to a hidden neighbour first, then renames: whoever sees the directory sees all of it.
driver_publish() {
  local parent
  mkdir -p "$(dirname "$OUTPUT")"
  parent=$(cd -- "$(dirname "$OUTPUT")" && pwd)
  PUBLISHING=$(mktemp -d "$parent/.publishing-XXXXXX")
  cp -r -- "$RAW/." "$PUBLISHING/"
  chmod -R u=rwX,go=rX "$PUBLISHING"
  mv -T -- "$PUBLISHING" "$OUTPUT"
  PUBLISHING=''
  log "report:  $OUTPUT/report.html"
  log "         $OUTPUT/report.md"
  log "charts:  $OUTPUT/charts/*.svg, *.png"
  log "samples: $OUTPUT/samples.csv"
}

verb_report() {
  driver_scratch
  driver_cluster
  cp -r -- "$REPORT_DIR"/*.csv "$RAW/" || die "report: $REPORT_DIR lacks the raw results"
  report_make "$RAW"
  rm -rf -- "$REPORT_DIR/charts"
  cp -r -- "$RAW/charts" "$RAW/report.md" "$RAW/report.html" "$RAW/HONESTY.md" "$REPORT_DIR/"
  log "report: $REPORT_DIR/report.html"
}

# Each is loaded, and rejected if need be, as a report would be.
verb_compare() {
  driver_scratch
  driver_cluster
  (cd -- "$REPORT_DIR" && sql -f "$BENCH_ROOT/report/load.sql" >/dev/null)
  sql -c 'ALTER SCHEMA report RENAME TO first'
  (cd -- "$COMPARE_DIR" && sql -f "$BENCH_ROOT/report/load.sql" >/dev/null)
  sql -f "$BENCH_ROOT/report/compare.sql"
}

verb_conformance() {
  driver_setup
  driver_start
  measure_prepare
  conformance_run
}

verb_list() {
  printf 'backends:\n'
  awk -F, 'NR > 1 && $4 != "server" {printf "  %-26s %s; survives: %s\n", $2, $5, $6}' "$BENCH_ROOT/backends/backends.csv"
  printf 'operations:\n'
  awk -F, 'NR > 1 {print "  " $2 " " $3 " " $4}' "$BENCH_ROOT/workloads/operations.csv"
}
