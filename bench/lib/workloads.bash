# shellcheck shell=bash
# The workloads: workload_<name>_seed once, before the workload's first run; workload_<name> RUN MODE OPERATION BACKEND
# SAMPLE for each step: -1 resets, 0 warms up, the others are the samples. Requires measure.bash and debian.bash.

workload_floors_seed() { :; }

workload_floors() {
  local run=$1 mode=$2 operation=$3 sample=$5 text='\set times 1000'
  case $mode in
    server)
      ((sample < 0)) || text="CALL bench.floors_sample($run, $sample, $SAMPLE_SECONDS / $VISITS, :times) \\gset"
      run_step "$run" bench "$sample" "$text"
      ;;
    client) client_sample "$run" bench "floor_$operation.sql" 1 "$sample" ;;
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
  local run=$1 operation=$3 backend=$4 sample=$5 text='' tidy="\\i $BENCH_ROOT/backends/$4/tidy.sql"
  case $sample in
    -1)
      [[ $operation == each_all ]] || text=$(plans_settings links8)$'\n'
      text+="CALL bench.links8_seed($BACKGROUND);"$'\n'$tidy
      ;;
    0) text="CALL bench.links8_warm_up($run, $BACKGROUND, $ACTIVE, $WARM_UP, $SAMPLE_SECONDS / $VISITS, 0) \\gset" ;;
    *)
      [[ $operation == each_* ]] || text=$tidy$'\n'
      text+="CALL bench.links8_sample($run, $sample, $BACKGROUND, $ACTIVE, :iterations);"
      ;;
  esac
  run_step "$run" "$backend" "$sample" "$text"
}

workload_links7_seed() {
  local backend
  for backend in "${BACKENDS[@]}"; do
    session "$backend" -c "CALL bench.links7_seed($BACKGROUND7)"
    tidy "$backend"
    plans_check links7 "$backend" "$RAW/plans.txt"
  done
}

workload_links7() {
  local run=$1 operation=$3 backend=$4 sample=$5 text='' tidy="\\i $BENCH_ROOT/backends/$4/tidy.sql"
  case $sample in
    -1)
      [[ $operation == query_all ]] || text=$(plans_settings links7)$'\n'
      text+="CALL bench.links7_seed($BACKGROUND7);"$'\n'$tidy
      ;;
    0) text="CALL bench.links7_warm_up($run, $BACKGROUND7, $ACTIVE7, $WARM_UP, $SAMPLE_SECONDS, 0) \\gset" ;;
    *)
      text=$tidy$'\n'
      text+="CALL bench.links7_sample($run, $sample, $BACKGROUND7, $ACTIVE7, :iterations);"
      ;;
  esac
  run_step "$run" "$backend" "$sample" "$text"
}

workload_real_seed() { :; }

# real_inputs: the numbered links of each mode that is planned, in WORK/edges.MODE, before anything is measured. `server` is Debian's
# dependencies, `wordnet` WordNet.
real_inputs() {
  local mode modes=()
  mapfile -t modes < <(sql -c "SELECT DISTINCT mode FROM bench.runs WHERE workload = 'real' ORDER BY mode")
  for mode in "${modes[@]}"; do
    case $mode in
      server) debian_edges "$WORK/edges.$mode" ;;
      wordnet) wordnet_edges "$WORK/edges.$mode" ;;
    esac
  done
}

# real_load MODE: the graph of the mode in every backend that is measured with it.
real_load() {
  local mode=$1 backend
  sql <<'EOF'
SET client_min_messages = warning;
DROP TABLE IF EXISTS bench.edges;
CREATE UNLOGGED TABLE bench.edges (n bigint PRIMARY KEY, source bigint NOT NULL, target bigint NOT NULL);
EOF
  sql -c '\copy bench.edges FROM pstdin' <"$WORK/edges.$mode"
  sql -c 'ANALYZE bench.edges'
  REAL_NODES=$(sql -c 'SELECT greatest(max(source), max(target)) FROM bench.edges')
  [[ $mode != server ]] || DEBIAN_NODES=$REAL_NODES
  sql -v mode="$mode" <<'EOF'
INSERT INTO bench.degrees
SELECT CASE :'mode' WHEN 'server' THEN 'Debian' ELSE 'WordNet' END, direction, degree, count(*)
FROM (
  SELECT 'in' AS direction, count(*) AS degree FROM bench.edges GROUP BY target
  UNION ALL SELECT 'out', count(*) FROM bench.edges GROUP BY source
) AS d GROUP BY direction, degree;
EOF
  for backend in "${BACKENDS[@]}"; do
    [[ " ${LEFT_OUT[*]:-} " != *" real $backend "* ]] || continue
    session "$backend" <<'EOF'
TRUNCATE links RESTART IDENTITY;
INSERT INTO links (source, target) SELECT source, target FROM bench.edges ORDER BY n;
EOF
    tidy "$backend"
    session "$backend" -c 'CALL bench.check_load()'
    plans_check real "$backend" "$RAW/plans.txt"
    size_record "$([[ $mode == server ]] && echo real || echo 'real wordnet')" "$backend"
  done
  REAL_LOADED=$mode
}

workload_real() {
  local run=$1 mode=$2 sample=$5 text
  [[ ${REAL_LOADED:-} == "$mode" ]] || real_load "$mode"
  case $sample in
    -1) text='CALL bench.touch();' ;;
    0) text="CALL bench.real_warm_up($run, $REAL_NODES, $SHORT_WARM_UP, $SHORT_SECONDS / $VISITS, 0) \\gset" ;;
    *) text="CALL bench.real_sample($run, $sample, $REAL_NODES, :passes);" ;;
  esac
  run_step "$run" "$4" "$sample" "$text"
}

workload_targets_seed() {
  # How many links each backend holds since it was loaded and looked at: what one run loads, the next ones read.
  declare -gA TARGETS_HELD=()
  sql -c "CALL bench.targets_input($((TARGETS_LINKS / 1000)))"
  REAL_LOADED=''
}

workload_targets() {
  local run=$1 mode=$2 operation=$3 backend=$4 sample=$5 scale=$((TARGETS_LINKS / 1000))
  if [[ $operation == insert_select || $operation == copy* ]]; then
    TARGETS_HELD[$backend]=''
  elif [[ -z ${TARGETS_HELD[$backend]:-} ]]; then
    tidy "$backend"
    session "$backend" -c 'CALL bench.check_load()'
    plans_check targets "$backend" "$RAW/plans.txt"
    size_record targets "$backend"
    TARGETS_HELD[$backend]=$((1100 * scale))
  fi
  case $mode in
    server) run_step "$run" "$backend" "$sample" "$(targets_text "$run" "$operation" "$backend" "$sample" "$scale")" ;;
    client)
      client_sample "$run" "$backend" "targets_$operation.sql" "$scale" "$sample" \
        "CALL bench.check_count(${TARGETS_HELD[$backend]}$([[ $operation != insert ]] || echo ' + @done'))"
      [[ $operation != insert ]] || TARGETS_HELD[$backend]=$((TARGETS_HELD[$backend] + CLIENT_DONE))
      ;;
  esac
}

# targets_text RUN OPERATION BACKEND SAMPLE SCALE: what the session of the run does. copy_bare is the load as it is done for good: into a
# table without indexes, which are then built. All of it is timed, except that the old ones go.
targets_text() {
  local run=$1 operation=$2 verbs=$BENCH_ROOT/backends/$3 sample=$4 scale=$5
  case $operation:$sample in
    copy_bare:-1 | copy_bare:0) ;;
    copy_bare:*)
      cat <<EOF
TRUNCATE links RESTART IDENTITY;
\\i $verbs/bare.sql
SELECT bench.meter_start() AS meter \\gset
COPY links (source, target) FROM 'doublets_bench_edges.copy';
\\i $verbs/indexes.sql
SELECT bench.meter_stop(:'meter') AS meter \\gset
CALL bench.meter_keep_run($run, $sample, :'meter');
CALL bench.check_load();
EOF
      ;;
    insert_select:-1 | copy:-1) ;;
    *:-1) echo 'CALL bench.touch();' ;;
    *:0) echo "CALL bench.targets_warm_up($run, $scale, $SAMPLE_SECONDS / $TURNS, 0) \\gset" ;;
    *) echo "CALL bench.targets_sample($run, $sample, $scale, :times);" ;;
  esac
}
