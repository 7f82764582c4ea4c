# shellcheck shell=bash
# Workloads whose procedures are made from their scripts (generate.bash), and several backends at once. Requires
# measure.bash.

# What each backend holds of the dataset of 1100 × scale links: its scale, `changed SCALE`, or nothing.
declare -gA GRAPH_HELD=()

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

# generic_run RUN WORKLOAD OPERATION BACKEND SCALE SAMPLES [STATE]: a run inside the server, after a check of its answer, which
# every backend must give alike for this scale and state of the dataset.
generic_run() {
  local run=$1 file=$BENCH_ROOT/$2_$3.sql name backend=$4 scale=$5 samples=$6 sample=1 answers=20 text
  name=$2_$3_$(backend_kind "$backend")
  script_notes "$file"
  [[ -z ${NOTES[heavy]:-} ]] || answers=1
  text="CALL bench.touch();
SELECT to_regproc('bench.answer_$name') IS NOT NULL AS answers \\gset
\\if :answers
CALL bench.check_answer('$2', '${NOTES[answers]:-$3}:$scale${7:+:$7}', bench.answer_$name($scale, $answers));
\\endif
"
  if [[ -n ${NOTES[once]:-} ]]; then
    text+='\set times 1'$'\n''\set first 1'$'\n'
    # Two requests warm up, unless each takes long.
    [[ -n ${NOTES[heavy]:-} ]] || sample=-1
  else
    text+="CALL bench.warm_up_$name($scale, $SHORT_WARM_UP, $SHORT_SECONDS, 1, 1) \\gset"$'\n'
  fi
  for ((; sample <= samples; sample++)); do
    if [[ -n ${NOTES[before]:-}${NOTES[after]:-}${NOTES[effect]:-} ]]; then
      text+="${NOTES[before]:-}"$'\n'"\\i $BENCH_ROOT/backends/$backend/tidy.sql"$'\n'
    fi
    text+="CALL bench.sample_$name($run, $sample, $scale, :first, :times);"$'\n''SELECT :first + :times AS first \gset'$'\n'
    text+="${NOTES[after]:-}"$'\n'
  done
  measured "$run" "\\set scale $scale"$'\n'"$text" | session "$backend"
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
  generic_run "$1" deep "$3" "$4" "$((DEEP_LINKS / 1000))" "$(run_samples "$1")"
  session "$4" -c "CALL bench.deep_check($DEEP_LINKS)"
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
  graph_ready bulk "$4" "$scale"
  generic_run "$1" bulk "$3" "$4" "$scale" "$(run_samples "$1")"
}

workload_functions_seed() { :; }

workload_functions() {
  local scale=$((TARGETS_LINKS / 1000))
  if writes "$3" && [[ ${GRAPH_HELD[$4]:-} == "changed $scale" ]]; then
    session "$4" -c 'CALL bench.hold()'
  else
    graph_ready functions "$4" "$scale"
  fi
  generic_run "$1" functions "$3" "$4" "$scale" "$(run_samples "$1")"
  if writes "$3"; then
    GRAPH_HELD[$4]="changed $scale"
  fi
}

# run_samples RUN: how many samples the plan gives it.
run_samples() {
  if [[ -n ${RUN_SAMPLES[$1]:-} ]]; then
    printf '%s\n' "${RUN_SAMPLES[$1]}"
  else
    sql -c "SELECT samples FROM bench.runs WHERE run = $1"
  fi
}

# Mode nK: the dataset of about 10^K links. Mode `restart`: see restart.bash.
workload_scale_seed() { :; }

workload_scale() {
  if [[ $2 == restart ]]; then
    restart_run "$1" "$4" "$((TARGETS_LINKS / 1000))"
    return
  fi
  local scale=$((10 ** (${2#n} - 3)))
  if writes "$3" && [[ ${GRAPH_HELD[$4]:-} == "changed $scale" ]]; then
    session "$4" -c 'CALL bench.hold()'
  else
    graph_ready scale "$4" "$scale"
    size_record "scale 10^${2#n}" "$4"
  fi
  generic_run "$1" scale "$3" "$4" "$scale" "$(run_samples "$1")"
  if writes "$3"; then
    GRAPH_HELD[$4]="changed $scale"
  fi
}

workload_aged_seed() { :; }

# Mode `fresh`: after a load. `aged`: after AGED_UPDATES updates while an old snapshot is held, which still is. `after`: the
# snapshot is gone, and the backend's own cleaning is timed: VACUUM, or settling.
workload_aged() {
  local run=$1 mode=$2 operation=$3 backend=$4 scale=$AGED_SCALE
  [[ $mode != fresh ]] || graph_ready aged "$backend" "$scale"
  if [[ $mode == aged && ${AGED_BACKEND:-} != "$backend" ]]; then
    AGED_BACKEND=$backend
    PGAPPNAME=doublets_bench_snapshot session "$backend" >/dev/null 2>&1 \
      <<<"BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM links; SELECT pg_sleep(86400);" &
    AGED_HOLDER=$!
    while [[ $(sql -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'doublets_bench_snapshot'
      AND wait_event = 'PgSleep'") != 1 ]]; do
      sleep 0.05
    done
    session "$backend" -c "CALL bench.aged_churn($scale, $AGED_UPDATES)" -c 'ANALYZE links'
    GRAPH_HELD[$backend]=''
  fi
  if [[ $operation != tidy ]]; then
    generic_run "$run" aged "$operation" "$backend" "$scale" "$(run_samples "$run")" "$mode"
    return
  fi
  sql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'doublets_bench_snapshot'" >/dev/null
  wait "$AGED_HOLDER" || true
  measured "$run" "SELECT bench.meter_start() AS meter \\gset
\\i $BENCH_ROOT/backends/$backend/tidy.sql
SELECT bench.meter_stop(:'meter') AS meter \\gset
CALL bench.meter_keep_run($run, 1, :'meter');" | session "$backend"
}

workload_backends_seed() { :; }

# Mode `one` or `two`: so many backends. What they did is taken back after each sample.
workload_backends() {
  local run=$1 mode=$2 operation=$3 backend=$4 scale=$((TARGETS_LINKS / 1000)) script=backends_$3 clients sample samples times first=1
  local effect
  case $mode in one) clients=1 ;; two) clients=2 ;; esac
  graph_ready backends "$backend" "$scale"
  effect=$(generate_says "$BENCH_ROOT/$script.sql" effect)
  session "$backend" -c "UPDATE bench.runs SET probe_before_us = bench.probe() WHERE run = $run" -c CHECKPOINT
  times=2000
  samples=$(run_samples "$run")
  for ((sample = -1; sample <= samples; sample++)); do
    parts_sample "$run" "$backend" "$script" "$sample" "$clients" "$scale" "$first" "$times"
    first=$((first + times))
    session "$backend" -c "CALL bench.count_effect($((clients * times * ${effect:-0})))"
    if [[ -n $effect ]]; then
      session "$backend" -c 'DELETE FROM links WHERE source >= 1000000000' -c 'CALL bench.hold()'
    fi
    if [[ $operation == update || $operation == create ]]; then
      tidy "$backend"
    fi
    if ((sample <= 0)); then
      times=$(sql -c "SELECT bench.bounded(floor(times * $SAMPLE_SECONDS * 1e6 / max(wall_us))::bigint, 0)
        FROM bench.parts WHERE run = $run AND sample = $sample GROUP BY times")
    else
      sql -c "CALL bench.parts_keep($run, $sample, $clients)"
    fi
  done
  session "$backend" -c "UPDATE bench.runs SET probe_after_us = bench.probe() WHERE run = $run"
  if writes "$operation"; then
    GRAPH_HELD[$backend]=''
  fi
}
