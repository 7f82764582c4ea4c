# shellcheck shell=bash
# The workloads: workload_<name>_seed once, before the workload's first run; workload_<name> RUN MODE OPERATION BACKEND
# for each run. Requires measure.bash and debian.bash.

workload_floors_seed() { :; }

workload_floors() {
  local run=$1 mode=$2 operation=$3
  case $mode in
    server) measured "$run" "CALL bench.floors_run($run, $SAMPLE_SECONDS);" | session bench ;;
    client) client_run "$run" bench "floor_$operation.sql" "$CLIENT_TURNS" 1 "$SAMPLES" ;;
  esac
}

workload_links8_seed() {
  local backend
  for backend in "${BACKENDS[@]}"; do
    session "$backend" -c "CALL bench.links8_seed($BACKGROUND)"
    tidy "$backend"
    plans_check links8 "$backend" "$RAW/plans.txt"
  done
}

# Every run starts from an emptied and reseeded table; what a sample that writes leaves behind is tidied before the next.
workload_links8() {
  local run=$1 operation=$3 backend=$4 sample text tidy="\\i $BENCH_ROOT/backends/$4/tidy.sql"
  text="CALL bench.links8_seed($BACKGROUND);"$'\n'"$tidy"$'\n'"CHECKPOINT;"$'\n'
  text+="CALL bench.links8_warm_up($run, $BACKGROUND, $ACTIVE, $WARM_UP, $SAMPLE_SECONDS, 0) \\gset"$'\n'
  for ((sample = 1; sample <= SAMPLES; sample++)); do
    [[ $operation == each_* ]] || text+=$tidy$'\n'
    text+="CALL bench.links8_sample($run, $sample, $BACKGROUND, $ACTIVE, :iterations);"$'\n'
  done
  [[ $operation == each_all ]] || text=$(plans_settings links8)$'\n'$text
  measured "$run" "$text" | session "$backend"
}

workload_real_seed() {
  local backend
  debian_edges "$WORK/edges.tsv"
  sql <<'EOF'
SET client_min_messages = warning;
DROP TABLE IF EXISTS bench.edges;
CREATE UNLOGGED TABLE bench.edges (n bigint PRIMARY KEY, source bigint NOT NULL, target bigint NOT NULL);
EOF
  sql -c '\copy bench.edges FROM pstdin' <"$WORK/edges.tsv"
  sql -c 'ANALYZE bench.edges'
  REAL_NODES=$(sql -c 'SELECT greatest(max(source), max(target)) FROM bench.edges')
  for backend in "${BACKENDS[@]}"; do
    session "$backend" <<'EOF'
TRUNCATE links RESTART IDENTITY;
INSERT INTO links (source, target) SELECT source, target FROM bench.edges ORDER BY n;
EOF
    tidy "$backend"
    session "$backend" -c 'CALL bench.check_load()'
    plans_check real "$backend" "$RAW/plans.txt"
    size_record real "$backend"
  done
}

workload_real() {
  local run=$1 backend=$4
  measured "$run" "CALL bench.real_run($run, $REAL_NODES, $WARM_UP, $SAMPLE_SECONDS);" | session "$backend"
}

workload_targets_seed() {
  # What one run loads, the next runs of the same backend read.
  TARGETS_LOADED=''
  sql -c "CALL bench.targets_input($((TARGETS_LINKS / 1000)))"
}

workload_targets() {
  local run=$1 mode=$2 operation=$3 backend=$4 scale=$((TARGETS_LINKS / 1000)) turns=$CLIENT_TURNS
  if [[ $operation != insert_select && $operation != copy && $TARGETS_LOADED != "$backend" ]]; then
    tidy "$backend"
    session "$backend" -c 'CALL bench.check_load()'
    plans_check targets "$backend" "$RAW/plans.txt"
    size_record targets "$backend"
    TARGETS_LOADED=$backend
  fi
  case $mode in
    server) measured "$run" "CALL bench.targets_run($run, $scale, $SAMPLE_SECONDS);" | session "$backend" ;;
    client)
      # A commit that waits for the disk takes milliseconds where others take microseconds.
      [[ $operation != insert || $backend == *unlogged || $backend == *volatile ]] || turns=$((turns / 10))
      client_run "$run" "$backend" "targets_$operation.sql" "$turns" "$scale" "$SAMPLES"
      [[ $operation != insert ]] || TARGETS_LOADED=''
      ;;
  esac
}
