# shellcheck shell=bash
# Measuring: the plan of the runs, then one psql or pgbench session per run. Requires session.bash, statements.bash and
# the settings of options.bash; RAW is the directory the raw results go to, WORK a scratch directory of the client.

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
  for workload in "${WORKLOADS[@]}"; do
    [[ -d $BENCH_ROOT/workloads/$workload ]] || continue
    for file in "$BENCH_ROOT/workloads/$workload"/*.sql; do
      session "${BACKENDS[0]}" -f "$file" >/dev/null
    done
  done
  measure_plan
}

# measure_plan: fills bench.runs. The order is shuffled within a workload and repetition by SEED; the rows of `targets`
# keep the order load, read, write within a backend, and backends are shuffled.
measure_plan() {
  sql -v seed="$SEED" -v samples="$SAMPLES" -v loads="$LOAD_SAMPLES" -v repetitions="$REPETITIONS" \
    -v workloads="{$(IFS=,; echo "${WORKLOADS[*]}")}" <<'EOF'
INSERT INTO bench.runs (run, repetition, workload, mode, operation, backend, samples)
SELECT row_number() OVER (ORDER BY array_position(:'workloads'::text[], o.workload), repetition,
    CASE WHEN o.workload = 'targets' THEN md5(concat_ws(':', :'seed', repetition, b.backend)) END,
    CASE WHEN o.workload = 'targets'
      THEN CASE o.operation WHEN 'insert_select' THEN 1 WHEN 'copy' THEN 2 WHEN 'insert' THEN 4 ELSE 3 END END,
    md5(concat_ws(':', :'seed', repetition, o.workload, o.mode, o.operation, b.backend))),
  repetition, o.workload, o.mode, o.operation, b.backend,
  CASE WHEN o.operation IN ('insert_select', 'copy') THEN :loads ELSE :samples END
FROM bench.operations AS o
JOIN bench.backends AS b ON (o.workload = 'floors') = (b.backend = 'server')
CROSS JOIN generate_series(1, :repetitions) AS repetition
WHERE o.workload = ANY (:'workloads') AND o.mode <> 'committed';
EOF
}

# measure_all: every run of the plan.
measure_all() {
  local plan=() line run workload mode operation backend total last='' k=0
  mapfile -t plan < <(sql -F ' ' -c 'SELECT run, workload, mode, operation, backend FROM bench.runs ORDER BY run')
  total=${#plan[@]}
  ((total > 0)) || die "there is nothing to measure"
  progress_start
  for line in "${plan[@]}"; do
    k=$((k + 1))
    read -r run workload mode operation backend <<<"$line"
    progress "$k" "$total" "$workload $mode $operation, $backend"
    if [[ $workload != "$last" ]]; then
      "workload_${workload}_seed"
      last=$workload
    fi
    "workload_$workload" "$run" "$mode" "$operation" "$backend" </dev/null
  done
}

# measured RUN SQL: the run's SQL, between two probes and after a checkpoint, on stdout, for `session`.
measured() {
  cat <<EOF
\\o /dev/null
UPDATE bench.runs SET probe_before_us = bench.probe() WHERE run = $1;
CHECKPOINT;
$2
UPDATE bench.runs SET probe_after_us = bench.probe() WHERE run = $1;
EOF
}

# client_run RUN BACKEND SCRIPT TURNS SCALE SAMPLES: a run through pgbench with prepared statements, one client. Between
# samples of TURNS transactions the script leaves a mark.
client_run() {
  local run=$1 backend=$2 script=$3 turns=$4 scale=$5 samples=$6 wrapped=$WORK/client.sql
  {
    printf '%s\n' '\set turn :turn + 1' '\if :turn % :turns = 1' 'CALL bench.mark(:turn);' '\endif'
    cat "$BENCH_ROOT/$script"
  } >"$wrapped"
  measured "$run" 'TRUNCATE bench.marks;' | sed '$d' | session "$backend"
  PGOPTIONS="-c search_path=$backend,bench" pgbench -n -M prepared -c 1 -s "$scale" -D turn=0 -D turns="$turns" \
    --random-seed="$SEED" -t $((turns * (samples + 1) + 1)) -f "$wrapped" >"$WORK/pgbench.log" 2>&1 ||
    { cat "$WORK/pgbench.log" >&2; die "pgbench failed: $script on $backend"; }
  session "$backend" <<EOF
CALL bench.keep_marks($run);
UPDATE bench.runs SET probe_after_us = bench.probe() WHERE run = $run;
EOF
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
