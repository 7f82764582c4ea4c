# shellcheck shell=bash
# Measuring: the plan of the steps, then a psql session per run or a pgbench session per sample. Requires session.bash,
# statements.bash and the settings of options.bash; RAW is the directory the raw results go to, WORK a scratch directory of
# the client.

# measure_prepare: the harness and one schema per backend, in the database PGDATABASE.
measure_prepare() {
  local workload backend file
  sql -f "$BENCH_ROOT/workloads/harness.sql" >/dev/null
  sql -c '\copy bench.operations FROM pstdin CSV HEADER' <"$BENCH_ROOT/workloads/operations.csv"
  sql -c '\copy bench.backends FROM pstdin CSV HEADER' <"$BENCH_ROOT/backends/backends.csv"
  for backend in "${BACKENDS[@]}"; do
    sql -f "$BENCH_ROOT/backends/$backend/schema.sql" >/dev/null
  done
  sql -c "DELETE FROM bench.backends WHERE backend <> 'server' AND backend <> ALL ('{$(IFS=,; echo "${BACKENDS[*]}")}')"
  measure_routing
  for workload in "${WORKLOADS[@]}"; do
    if [[ " ${BENCH_GENERIC[*]} " == *" $workload "* ]]; then
      generate_procedures "$BENCH_ROOT/$workload"_*.sql | session "${BACKENDS[0]}"
    fi
    [[ -d $BENCH_ROOT/workloads/$workload ]] || continue
    for file in "$BENCH_ROOT/workloads/$workload"/*.sql; do
      session "${BACKENDS[0]}" -f "$file" >/dev/null
    done
  done
  measure_plan
}

# measure_routing: pgRouting, where the server has it, and PostGIS, which it wants, for the workload that asks for them.
measure_routing() {
  if [[ " ${WORKLOADS[*]} " == *" functions "* &&
    $(sql -c "SELECT count(*) FROM pg_available_extensions WHERE name IN ('postgis', 'pgrouting')") == 2 ]]; then
    sql -c 'CREATE EXTENSION postgis SCHEMA bench' -c 'SET search_path = bench' -c 'CREATE EXTENSION pgrouting SCHEMA bench'
  fi
}

# measure_heavy: the operations whose scripts say that a sample is one time or takes long, as `workload operation` or `workload mode
# operation`, one per line; those of `targets` and `real` that take a second or load, and the restart.
measure_heavy() {
  printf '%s\n' 'targets insert_select' 'targets copy' 'targets copy_bare' 'targets join_source' 'real wordnet needs' 'scale ready'
  measure_says once heavy
}

# measure_says NAME…: the operations whose scripts say one of the names, in the same form.
measure_says() {
  local file name
  while read -r file; do
    name=$(basename "$file" .sql)
    printf '%s %s\n' "${name%%_*}" "${name#*_}"
  done < <(grep -lE -- "^-- ($(IFS='|'; echo "$*"))(:.*)?\$" "$BENCH_ROOT"/*.sql)
}

# measure_missing: the chosen operations that need a function that is not there, in the same form.
measure_missing() {
  local file name
  while read -r file; do
    name=$(basename "$file" .sql)
    [[ " ${WORKLOADS[*]} " == *" ${name%%_*} "* ]] || continue
    [[ -z $(sql -c "SELECT 1 FROM pg_proc JOIN pg_namespace AS n ON n.oid = pronamespace
      WHERE nspname || '.' || proname = '$(generate_says "$file" needs)' LIMIT 1") ]] || continue
    printf '%s %s\n' "${name%%_*}" "${name#*_}"
  done < <(grep -l -- '^-- needs: ' "$BENCH_ROOT"/*.sql)
}

# measure_plan: fills bench.runs and bench.steps. Samples of all backends of one operation are taken in turn, in an order that
# SEED shuffles anew each time: the speed of a machine changes for seconds at a time, and so the change meets all of them alike.
# A turn is one sample; on data larger than the caches (BENCH_LARGE) it is all samples, because the first request after
# another backend's turn has to wait for memory, and there it would be most of what is measured.
# Of clients, all operations take turns, first those that read, then those that write, with the floors of clients among them,
# because they are compared. Otherwise operations come one after the other, shuffled by SEED within a workload and
# repetition; where they share a load, they read before they write, the restart coming after the reads of 10^6 links.
# Inside the server a sample is spread over VISITS visits, or TURNS where turns are long: a second in which the machine is slow
# then lengthens all samples a little and none of them much. One visit has what takes long at a time (in links7, with what
# surrounds it), or is to be taken back after each sample.
measure_plan() {
  local heavy whole
  whole=$(measure_says once heavy before after effect | paste -sd ,)
  heavy=$(measure_heavy | paste -sd ,)
  OPERATIONS_MISSING=$(measure_missing | paste -sd ,)
  [[ -z $OPERATIONS_MISSING ]] || log "left out, because a function is not there that they need: $OPERATIONS_MISSING"
  sql -v seed="$SEED" -v samples="$SAMPLES" -v heavy_samples="$HEAVY_SAMPLES" -v loads="$LOAD_SAMPLES" -v repetitions="$REPETITIONS" \
    -v workloads="{$(IFS=,; echo "${WORKLOADS[*]}")}" -v heavy="{$heavy}" -v missing="{$OPERATIONS_MISSING}" \
    -v visits="$VISITS" -v turns="$TURNS" -v in_a_row="{$(IFS=,; echo "${BENCH_LARGE[*]}")}" -v whole="{$whole}" -v staged="{targets,$(IFS=,; echo "${BENCH_GENERIC[*]}")}" -v left_out="{$(IFS=,; echo "${LEFT_OUT[*]:-}")}" <<'EOF'
DELETE FROM bench.operations
WHERE workload || ' ' || operation = ANY (:'missing'::text[]) OR workload || ' ' || mode = ANY (:'left_out'::text[])
  OR workload || ' ' || operation = ANY (:'left_out'::text[])
  OR concat_ws(' ', workload, mode, operation) = ANY (:'left_out'::text[])
  OR workload <> ALL (:'workloads'::text[]);

CREATE TEMPORARY TABLE planned AS
SELECT row_number() OVER (ORDER BY o.place, repetition, o.phase, o.stage, o.shuffled, b.position) AS run,
  repetition, o.place, o.phase, o.stage, o.shuffled, o.workload, o.mode, o.operation, b.backend,
  CASE WHEN ARRAY[o.workload || ' ' || o.operation, concat_ws(' ', o.workload, o.mode, o.operation)] && :'heavy'::text[] THEN :heavy_samples
    WHEN o.workload IN ('linkbench', 'checkout', 'contention', 'backends') THEN :loads
    WHEN o.operation = 'tidy' THEN 1 ELSE :samples END AS samples,
  CASE WHEN o.mode = 'client' OR o.workload || ' ' || o.operation = ANY (:'whole'::text[])
      OR ARRAY[o.workload || ' ' || o.operation, concat_ws(' ', o.workload, o.mode, o.operation)] && :'heavy'::text[]
      OR o.workload IN ('links7', 'linkbench', 'checkout', 'contention', 'backends') OR o.operation = 'tidy' THEN 1
    WHEN o.workload = ANY (:'in_a_row'::text[]) THEN :turns ELSE :visits END AS visits,
  o.workload = ANY (:'in_a_row'::text[]) AND o.mode NOT IN ('client', 'restart') AS in_a_row
FROM generate_series(1, :repetitions) AS repetition
CROSS JOIN LATERAL (
  SELECT *, CASE WHEN mode <> 'client' THEN 0 WHEN operation IN ('xid', 'insert') THEN 2 ELSE 1 END AS phase,
    array_position(:'workloads'::text[],
      CASE WHEN mode = 'client' AND 'targets' = ANY (:'workloads') THEN 'targets' ELSE workload END) AS place,
    CASE WHEN workload = 'real' THEN CASE mode WHEN 'server' THEN 1 ELSE 2 END
      WHEN mode = 'restart' THEN 64
      WHEN mode <> 'client' AND workload = ANY (:'staged') THEN
        CASE WHEN operation = 'insert_select' THEN 1 WHEN operation ~ '^copy' AND workload = 'targets' THEN 2
          WHEN operation !~ '^(create|update|insert|delete)' THEN 3 ELSE 5 END
        + CASE WHEN workload = 'scale' THEN 10 * substr(mode, 2)::integer
            ELSE coalesce(10 * array_position('{fresh,aged,after}', mode), 0) END
      ELSE 0 END AS stage,
    CASE WHEN mode <> 'client' THEN md5(concat_ws(':', :'seed', repetition, workload, mode, operation)) ELSE '' END AS shuffled
  FROM bench.operations
  WHERE mode <> 'committed'
) AS o
JOIN bench.backends AS b ON (o.workload = 'floors') = (b.backend = 'server')
  AND o.workload || ' ' || b.backend <> ALL (:'left_out'::text[])
  AND concat_ws(' ', o.workload, o.operation, b.backend) <> ALL (:'left_out'::text[]);

INSERT INTO bench.runs (run, repetition, workload, mode, operation, backend, samples)
SELECT run, repetition, workload, mode, operation, backend, samples FROM planned;

INSERT INTO bench.steps (step, run, sample, visit)
SELECT row_number() OVER (ORDER BY place, repetition, phase, stage, shuffled, sample >= 0, visit,
    CASE WHEN in_a_row THEN md5(concat_ws(':', :'seed', repetition, visit, workload, mode, operation, backend)) ELSE '' END,
    CASE WHEN in_a_row THEN least(sample, 1) ELSE sample END,
    md5(concat_ws(':', :'seed', repetition, visit, sample, workload, mode, operation, backend))), run, sample, visit
FROM planned, generate_series(-1, samples) AS sample, generate_series(1, CASE WHEN sample > 0 THEN visits ELSE 1 END) AS visit;
EOF
}

# measure_all: every step of the plan. WORKLOAD_US says how long each workload took, in microseconds, with all that is not timed.
declare -gA WORKLOAD_US=()
measure_all() {
  local plan=() line run workload mode operation backend sample visit total k=0 began
  CLIENT_CORE=$(client_core)
  declare -ga RUN_LEFT=()
  local -A seeded=()
  mapfile -t plan < <(sql -F ' ' -c 'SELECT run, workload, mode, operation, backend, sample, visit
    FROM bench.steps JOIN bench.runs USING (run) ORDER BY step')
  total=${#plan[@]}
  ((total > 0)) || die "there is nothing to measure"
  for line in "${plan[@]}"; do
    run=${line%% *}
    RUN_LEFT[run]=$((${RUN_LEFT[run]:-0} + 1))
  done
  progress_start
  for line in "${plan[@]}"; do
    k=$((k + 1))
    read -r run workload mode operation backend sample visit <<<"$line"
    RUN_LEFT[run]=$((RUN_LEFT[run] - 1))
    STEP_VISIT=$visit
    progress "$k" "$total" "$workload $mode $operation, $backend"
    began=${EPOCHREALTIME/[.,]/}
    if [[ " ${BENCH_GRAPH[*]} " != *" $workload "* ]]; then
      GRAPH_HELD=() GRAPH_INPUT=''
    fi
    if [[ -z ${seeded[$workload]:-} ]]; then
      "workload_${workload}_seed"
      seeded[$workload]=1
    fi
    "workload_$workload" "$run" "$mode" "$operation" "$backend" "$sample" </dev/null
    WORKLOAD_US[$workload]=$((${WORKLOAD_US[$workload]:-0} + ${EPOCHREALTIME/[.,]/} - began))
  done
}

# run_step RUN BACKEND SAMPLE TEXT: a step of a run inside the server: SQL and psql's commands for the session of that run, on the
# core that is measured on. Step -1 resets and ends with a checkpoint; so the checkpoints of all backends are over when the first
# one warms up in step 0. A sample that has lasted SAMPLE_SECONDS gets no other visit. The probes are taken before the warm-up
# and after the last sample.
run_step() {
  local run=$1 sample=$3 text=$4
  case $sample in
    -1)
      talk_open "$run" "$2"
      text='CALL bench.grow_heap();'$'\n'$text
      [[ -z ${CLIENT_CORE:-} ]] || text="CALL bench.pin($CLIENT_CORE);"$'\n'$text
      text+=$'\n''CHECKPOINT;'
      ;;
    0) text="UPDATE bench.runs SET probe_before_us = bench.probe() WHERE run = $run;"$'\n'$text ;;
  esac
  if ((STEP_VISIT > 1)); then
    text="SELECT NOT bench.lasted($run, $sample, $SAMPLE_SECONDS) AS more \\gset"$'\n''\if :more'$'\n'$text$'\n''\endif'
  fi
  if run_ends "$run"; then
    text+=$'\n'"UPDATE bench.runs SET probe_after_us = bench.probe() WHERE run = $run;"
  fi
  talk "$run" "$text"
  ! run_ends "$run" || talk_close "$run"
}

# run_ends RUN: whether this step is its last one. RUN_LEFT counts those after it.
run_ends() {
  ((RUN_LEFT[$1] == 0))
}

# client_core: the last core this process may run on, or nothing where that is not to be found.
client_core() {
  taskset -cp "$$" 2>/dev/null | sed -nE 's/.*[^0-9]([0-9]+)$/\1/p'
}

# client_sample RUN BACKEND SCRIPT SCALE SAMPLE [CHECK]: a sample of about CLIENT_SECONDS through one client of pgbench with
# prepared statements, in a session of its own. CLIENT_TURNS[RUN] is how many transactions that takes, corrected after each
# sample; a tenth as many go before, untimed, and before them the backend touches what it will read. Sets CLIENT_DONE, the number of transactions with those,
# which CHECK, an SQL command afterwards, knows as @done.
# Client and backend share a core where that can be said: they never run at the same time, and to wake a process on another
# core costs the one that wakes more than many a statement, so that one and the same statement would take once or twice its time.
client_sample() {
  local run=$1 backend=$2 script=$3 scale=$4 sample=$5 turns=${CLIENT_TURNS[$1]:-200} wrapped=$WORK/client.sql before
  local pin=() client=(pgbench)
  if [[ -n ${CLIENT_CORE:-} ]]; then
    pin=("CALL bench.pin($CLIENT_CORE);")
    client=(taskset -c "$CLIENT_CORE" pgbench)
  fi
  before=$((turns / 10))
  CLIENT_DONE=$((before + turns))
  {
    printf '%s\n' '\set turn :turn + 1' '\if :turn = 1' "${pin[@]}" 'CALL bench.touch();' '\endif' "\\if :turn = $((before + 1))" "CALL bench.mark('begin');" '\endif'
    cat "$BENCH_ROOT/$script"
    printf '%s\n' "\\if :turn = $CLIENT_DONE" "CALL bench.mark('end');" '\endif'
  } >"$wrapped"
  ((sample >= 0)) || session "$backend" -c "UPDATE bench.runs SET probe_before_us = bench.probe() WHERE run = $run" -c CHECKPOINT
  PGOPTIONS="-c search_path=$backend,bench" "${client[@]}" -n -M prepared -c 1 -s "$scale" -D turn=0 \
    --random-seed=$((SEED + sample + 1)) -t "$CLIENT_DONE" -f "$wrapped" >"$WORK/pgbench.log" 2>&1 ||
    { cat "$WORK/pgbench.log" >&2; die "pgbench failed: $script on $backend"; }
  CLIENT_TURNS[run]=$(session "$backend" -c "SELECT bench.keep_sample($run, $sample, $turns, $CLIENT_SECONDS)" ${6:+-c "${6//@done/$CLIENT_DONE}"})
}

# tidy BACKEND: what the backend wants done after a load.
tidy() {
  session "$1" -f "$BENCH_ROOT/backends/$1/tidy.sql" >/dev/null
}

# size_record WORKLOAD BACKEND: notes links and bytes of the backend as it stands.
size_record() {
  local links used allocated
  IFS='|' read -r links used allocated < <(session "$2" -f "$BENCH_ROOT/backends/$2/size.sql")
  [[ -n $allocated ]] || die "$2: no size"
  sql -c "INSERT INTO bench.sizes VALUES ('$1', '$2', $links, $used, $allocated)
    ON CONFLICT (workload, backend) DO UPDATE
    SET links = excluded.links, used_bytes = excluded.used_bytes, allocated_bytes = excluded.allocated_bytes"
}
