# shellcheck shell=bash
# Workloads whose procedures are made from their scripts (generate.bash), and several backends at once. Requires
# measure.bash.

# What each backend holds of the dataset of 1100 × scale links: its scale, `changed SCALE`, or nothing.
declare -gA GRAPH_HELD=()
# backend_kind of those that were asked for.
declare -gA KINDS=()

# backend_kind BACKEND: native, doublets or server.
backend_kind() {
  local position name title kind rest
  while IFS=, read -r position name title kind rest; do
    [[ $name != "$1" ]] || printf '%s\n' "$kind"
  done <"$BENCH_ROOT/backends/backends.csv"
}

# graph_ready WORKLOAD BACKEND SCALE: the backend holds the dataset of 1100 × SCALE links unchanged, tidied, its plans
# checked. GRAPH_HELD[BACKEND] is the scale of what it holds; whoever changes it empties that.
graph_ready() {
  local workload=$1 backend=$2 scale=$3
  if [[ ${GRAPH_HELD[$backend]:-} != "$scale" ]]; then
    if [[ ${GRAPH_INPUT:-} != "$scale" ]]; then
      sql -c "CALL bench.graph_input($scale)"
      GRAPH_INPUT=$scale
    fi
    session "$backend" -c 'CALL bench.graph_load()'
    tidy "$backend"
    GRAPH_HELD[$backend]=$scale
  fi
  if [[ " ${GRAPH_CHECKED:-} " != *" $workload:$backend "* && $scale -ge 100 ]]; then
    plans_check "$workload" "$backend" "$RAW/plans.txt"
    GRAPH_CHECKED+=" $workload:$backend"
  fi
}

# generic_step RUN WORKLOAD OPERATION BACKEND SCALE SAMPLE [STATE]: a step of a run inside the server. The first one checks the
# answer, which every backend must give alike for this scale and state of the dataset.
generic_step() {
  local run=$1 file=$BENCH_ROOT/$2_$3.sql name backend=$4 scale=$5 sample=$6 answered text='' take visits=$VISITS
  [[ -n ${KINDS[$backend]:-} ]] || KINDS[$backend]=$(backend_kind "$backend")
  name=$2_$3_${KINDS[$backend]}
  script_notes "$file"
  # As the plan has it.
  [[ " ${BENCH_LARGE[*]} " != *" $2 "* ]] || visits=$TURNS
  [[ -z ${NOTES[heavy]:-}${NOTES[before]:-}${NOTES[after]:-}${NOTES[effect]:-} ]] || visits=1
  take="CALL bench.sample_$name($run, $sample, $scale, :first, :times);"$'\n''SELECT :first + :times AS first \gset'$'\n'
  if [[ -n ${NOTES[before]:-}${NOTES[after]:-}${NOTES[effect]:-} ]]; then
    take="${NOTES[before]:-}"$'\n'"\\i $BENCH_ROOT/backends/$backend/tidy.sql"$'\n'"$take${NOTES[after]:-}"$'\n'
  fi
  if ((sample > 0)); then
    text=$take
  elif ((sample < 0)); then
    answered="'$2', '${NOTES[answers]:-$3}:$scale${7:+:$7}"
    text="\\set scale $scale
CALL bench.touch();
SELECT to_regproc('bench.answer_$name') IS NOT NULL AS answers \\gset
\\if :answers
CALL bench.check_answer($answered', bench.answer_$name($scale, 1));
"
    [[ -n ${NOTES[heavy]:-} ]] || text+="CALL bench.check_answer($answered, 20 times', bench.answer_$name($scale, 20));"$'\n'
    text+='\endif'
  elif [[ -n ${NOTES[once]:-} ]]; then
    text='\set times 1'$'\n''\set first 1'$'\n'
    # Two requests warm up, unless each takes long.
    [[ -n ${NOTES[heavy]:-} ]] || text+=$take$take
  else
    text="CALL bench.warm_up_$name($scale, $SHORT_WARM_UP, $SHORT_SECONDS / $visits, 1, 1) \\gset"
  fi
  run_step "$run" "$backend" "$sample" "$text"
}

# parts_sample RUN BACKEND SCRIPT SAMPLE CLIENTS SCALE FIRST TIMES: CLIENTS backends run the script TIMES times each from
# number FIRST, beginning together once all have touched what they read, each on a core of its own while there are enough.
parts_sample() {
  local run=$1 backend=$2 name=$3 sample=$4 clients=$5 scale=$6 first=$7 times=$8 client cores=() children=() pin
  name+=_$(backend_kind "$backend")
  mapfile -t cores < <(cores_allowed)
  for ((client = 0; client < clients; client++)); do
    pin=''
    if ((clients <= ${#cores[@]})); then
      pin="CALL bench.pin(${cores[client]});"
    fi
    session "$backend" <<<"$pin CALL bench.part_$name($run, $sample, $client, $scale, $first, $times, $clients);" &
    children+=($!)
  done
  for client in "${children[@]}"; do
    wait "$client" || die "a client failed: $name on $backend"
  done
  sql -c 'DELETE FROM bench.meeting'
}

# cores_allowed: the cores this process may run on, one per line; nothing where that is not to be found.
cores_allowed() {
  taskset -cp "$$" 2>/dev/null | sed 's/.*: //' | tr ',' '\n' |
    awk -F- '{ for (core = $1; core <= (NF > 1 ? $2 : $1); core++) print core }'
}

# The dataset of deep: pairs (i, i + 1).
workload_deep_seed() {
  local backend
  for backend in "${BACKENDS[@]}"; do
    session "$backend" -c "CALL bench.deep_seed($DEEP_LINKS)"
    tidy "$backend"
    session "$backend" -c 'CALL bench.hold()'
    plans_check deep "$backend" "$RAW/plans.txt"
  done
}

workload_deep() {
  generic_step "$1" deep "$3" "$4" "$((DEEP_LINKS / 1000))" "$5"
  ! run_ends "$1" || session "$4" -c "CALL bench.deep_check($DEEP_LINKS)"
}

workload_bulk_seed() {
  sql <<'EOF'
CREATE TABLE IF NOT EXISTS bench.bulk_names AS
SELECT n AS node, 'name ' || n % 100 AS name FROM generate_series(1, 100000) AS n;
ANALYZE bench.bulk_names;
EOF
}

workload_bulk() {
  local scale=$((TARGETS_LINKS / 1000))
  (($5 >= 0)) || graph_ready bulk "$4" "$scale"
  generic_step "$1" bulk "$3" "$4" "$scale" "$5"
}

# graph_written WORKLOAD OPERATION BACKEND SCALE: before a run. What is written need not find the dataset unchanged; what is read must.
graph_written() {
  if writes "$2" && [[ ${GRAPH_HELD[$3]:-} == "changed $4" ]]; then
    session "$3" -c 'CALL bench.hold()'
  else
    graph_ready "$1" "$3" "$4"
  fi
  if writes "$2"; then
    GRAPH_HELD[$3]="changed $4"
  fi
}

workload_functions_seed() { :; }

workload_functions() {
  local scale=$((TARGETS_LINKS / 1000))
  (($5 >= 0)) || graph_written functions "$3" "$4" "$scale"
  generic_step "$1" functions "$3" "$4" "$scale" "$5"
}

# Mode nK: the dataset of about 10^K links. Mode `restart`: see restart.bash.
workload_scale_seed() { :; }

workload_scale() {
  if [[ $2 == restart ]]; then
    restart_step "$1" "$4" "$((TARGETS_LINKS / 1000))" "$5"
    return
  fi
  local scale=$((10 ** (${2#n} - 3)))
  if (($5 < 0)); then
    graph_written scale "$3" "$4" "$scale"
    writes "$3" || size_record "scale 10^${2#n}" "$4"
  fi
  generic_step "$1" scale "$3" "$4" "$scale" "$5"
}

workload_aged_seed() {
  declare -gA AGED_CHURNED=()
  AGED_HOLDER=''
}

# Mode `fresh`: after a load. `aged`: after AGED_UPDATES updates while an old snapshot is held, which still is. `after`: the
# snapshot is gone, and the backend's own cleaning is timed: VACUUM, or settling.
workload_aged() {
  local run=$1 mode=$2 operation=$3 backend=$4 sample=$5 scale=$AGED_SCALE text=''
  if ((sample < 0)); then
    case $mode in
      fresh) graph_written aged "$operation" "$backend" "$scale" ;;
      aged) aged_make "$backend" ;;
      after) aged_release ;;
    esac
  fi
  if [[ $operation != tidy ]]; then
    generic_step "$run" aged "$operation" "$backend" "$scale" "$sample" "$mode"
    return
  fi
  ((sample <= 0)) || text="SELECT bench.meter_start() AS meter \\gset
\\i $BENCH_ROOT/backends/$backend/tidy.sql
SELECT bench.meter_stop(:'meter') AS meter \\gset
CALL bench.meter_keep_run($run, $sample, :'meter');"
  run_step "$run" "$backend" "$sample" "$text"
}

# aged_make BACKEND: updates it, under a snapshot that is older than its updates and has seen every backend.
aged_make() {
  [[ -z ${AGED_CHURNED[$1]:-} ]] || return 0
  if [[ -z $AGED_HOLDER ]]; then
    PGAPPNAME=doublets_bench_snapshot sql >/dev/null 2>&1 \
      <<<"BEGIN ISOLATION LEVEL REPEATABLE READ; $(printf 'SELECT count(*) FROM %s.links; ' "${BACKENDS[@]}") SELECT pg_sleep(86400);" &
    AGED_HOLDER=$!
    while [[ $(sql -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'doublets_bench_snapshot'
      AND wait_event = 'PgSleep'") != 1 ]]; do
      sleep 0.05
    done
  fi
  session "$1" -c "CALL bench.aged_churn($AGED_SCALE, $AGED_UPDATES)" -c 'ANALYZE links'
  GRAPH_HELD[$1]='' AGED_CHURNED[$1]=1
}

# aged_release: the snapshot goes.
aged_release() {
  [[ -n $AGED_HOLDER ]] || return 0
  sql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'doublets_bench_snapshot'" >/dev/null
  wait "$AGED_HOLDER" || true
  AGED_HOLDER='' AGED_CHURNED=()
}

workload_backends_seed() {
  declare -gA PARTS_FIRST=() PARTS_TIMES=()
}

# Mode `one` or `two`: so many backends. What they did is taken back after each sample.
workload_backends() {
  local run=$1 mode=$2 operation=$3 backend=$4 sample=$5 scale=$((TARGETS_LINKS / 1000)) script=backends_$3 clients times effect
  case $mode in one) clients=1 ;; two) clients=2 ;; esac
  effect=$(generate_says "$BENCH_ROOT/$script.sql" effect)
  if ((sample < 0)); then
    graph_ready backends "$backend" "$scale"
    session "$backend" -c "UPDATE bench.runs SET probe_before_us = bench.probe() WHERE run = $run" -c CHECKPOINT
    PARTS_FIRST[$run]=1 PARTS_TIMES[$run]=2000
  fi
  times=${PARTS_TIMES[$run]}
  parts_sample "$run" "$backend" "$script" "$sample" "$clients" "$scale" "${PARTS_FIRST[$run]}" "$times"
  PARTS_FIRST[$run]=$((PARTS_FIRST[$run] + times))
  session "$backend" -c "CALL bench.count_effect($((clients * times * ${effect:-0})))"
  if [[ -n $effect ]]; then
    session "$backend" -c 'DELETE FROM links WHERE source >= 1000000000' -c 'CALL bench.hold()'
  fi
  if [[ $operation == update || $operation == create ]]; then
    tidy "$backend"
  fi
  if ((sample <= 0)); then
    PARTS_TIMES[$run]=$(sql -c "SELECT bench.bounded(floor(times * $SAMPLE_SECONDS * 1e6 / max(wall_us))::bigint, 0)
      FROM bench.parts WHERE run = $run AND sample = $sample GROUP BY times")
  else
    sql -c "CALL bench.parts_keep($run, $sample, $clients)"
  fi
  if run_ends "$run"; then
    session "$backend" -c "UPDATE bench.runs SET probe_after_us = bench.probe() WHERE run = $run"
    ! writes "$operation" || GRAPH_HELD[$backend]=''
  fi
}
