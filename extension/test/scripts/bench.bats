#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2016  # sed and the fake tool expand them
# The benchmark's own promises: its statistics, what it rejects, that a failing run publishes nothing, that planted
# differences are caught. One small run on native tables is made once; it needs no extension.

bats_require_minimum_version 1.5.0

setup_file() {
  ROOT=$(cd "$BATS_TEST_DIRNAME/../../.." && pwd)
  # A copy whose files the tests may spoil.
  TREE=$BATS_FILE_TMPDIR/tree
  mkdir -p "$TREE"
  cp -r "$ROOT/bench" "$ROOT/scripts" "$TREE/"
  RESULT=$BATS_FILE_TMPDIR/result
  export ROOT TREE RESULT BENCHMARK_BACKEND=native_unlogged,native_covering_unlogged BENCHMARK_SAMPLES=2 \
    BENCHMARK_BACKGROUND_LINKS=10 BENCHMARK_LINKS=2 BENCHMARK_WARMUP=0
  bench run --no-setup --workloads floors,links8 --output "$RESULT" >"$BATS_FILE_TMPDIR/run.log" 2>&1 ||
    { cat "$BATS_FILE_TMPDIR/run.log"; return 1; }
  CLUSTER=$(library "scratch_create; cluster_start \"\$SCRATCH/cluster\" >/dev/null; echo \"\$SCRATCH\"")
  prepared
  export CLUSTER PGHOST=$CLUSTER/cluster/socket PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
}

teardown_file() {
  [ -z "${CLUSTER:-}" ] ||
    library "SCRATCH=$CLUSTER CLUSTER_DIR=$CLUSTER/cluster CLUSTER_SOCKET_DIR=$CLUSTER/cluster/socket; cluster_stop; scratch_remove"
}

bench() {
  env -u PGHOST -u PGPORT -u PGUSER -u PGDATABASE "$TREE/scripts/bench.sh" "$@"
}

# library CODE: runs it in a strict shell with the libraries.
library() {
  bash -c "set -euo pipefail
    . '$ROOT/scripts/lib/common.bash'; . '$ROOT/scripts/lib/cluster.bash'
    $1"
}

# spoiled COMMAND…: runs the command in a copy of the result and loads that; nothing stays in the database.
spoiled() {
  local dir=$BATS_TEST_TMPDIR/spoiled
  cp -r "$RESULT" "$dir"
  (cd "$dir" && "$@")
  (cd "$dir" && psql -XAtq -v ON_ERROR_STOP=1 -c BEGIN -f "$ROOT/bench/report/load.sql" -c ROLLBACK 2>&1)
}

# prepared: the database `prepared` of the cluster, with everything the runs need and a plan, but nothing measured.
prepared() {
  library "for part in options session statements generate measure; do . \"$ROOT/bench/lib/\$part.bash\"; done
    BENCH_ROOT=$ROOT/bench SEED=1 SAMPLES=3 VISITS=2 TURNS=2 HEAVY_SAMPLES=1 LOAD_SAMPLES=1 REPETITIONS=2 WORKLOADS=(floors links8 targets memory)
    BACKENDS=(native_unlogged native_covering_unlogged)
    export PGHOST=$CLUSTER/cluster/socket PGPORT=5432 PGUSER=postgres PGDATABASE=prepared
    sql -d postgres -c 'CREATE DATABASE prepared'
    measure_prepare"
}

# in_prepared SQL…: statements in that database, which stay without effect.
in_prepared() {
  PGOPTIONS='-c search_path=native_unlogged,bench' psql -XAtq -v ON_ERROR_STOP=1 -d prepared -c BEGIN "${@/#/-c}" -c ROLLBACK 2>&1
}

# judged SQL COMMAND…: what the query says of a result that the command has changed, in a database that forgets it again.
judged() {
  local query=$1 dir=$BATS_TEST_TMPDIR/judged
  shift
  rm -rf "$dir"
  cp -r "$RESULT" "$dir"
  (cd "$dir" && "$@")
  (cd "$dir" && psql -XAtq -v ON_ERROR_STOP=1 -c BEGIN -f "$ROOT/bench/report/load.sql" -c "$query" -c ROLLBACK 2>&1)
}

# with_store LINE…: adds a store to the result, of which nothing is wanted but the lines given: `FILE LINE`.
with_store() {
  local line
  grep '^5,split_volatile,' "$ROOT/bench/backends/backends.csv" >>backends.csv
  sed -i 's/^"workloads",.*/"workloads","floors"/' provenance.csv
  printf '%s\n' '"extension","doublets 1.0"' >>provenance.csv
  for line in "$@"; do
    printf '%s\n' "${line#* }" >>"${line%% *}.csv"
  done
}

# refused TEXT COMMAND…: the spoiled result must be refused, saying TEXT.
refused() {
  local text=$1
  shift
  run spoiled "$@"
  [ "$status" -ne 0 ]
  [[ $output == *"the results cannot be reported"* ]]
  [[ $output == *"$text"* ]]
}

@test "the statistics give their worked values" {
  run psql -X -f "$ROOT/bench/report/test_statistics.sql"
  [ "$status" -eq 0 ]
  [[ $output != *"not ok"* ]]
}

@test "a wrong worked value fails the test of the statistics" {
  cp -r "$ROOT/bench/report" "$BATS_TEST_TMPDIR/report"
  sed -i 's/< 0.05 \*/< 0.01 */' "$BATS_TEST_TMPDIR/report/statistics.sql"
  run psql -X -f "$BATS_TEST_TMPDIR/report/test_statistics.sql"
  [ "$status" -ne 0 ]
  [[ $output == *"not ok"* ]]
}

@test "a run publishes report, charts and raw samples" {
  for file in report.md report.html samples.csv runs.csv provenance.csv plans.txt charts/links8-autocommit-{linear,log}.{svg,png}; do
    [ -s "$RESULT/$file" ]
  done
  [[ $(grep -c '<svg role=' "$RESULT/report.html") -eq 6 ]]
  [ "$(grep -cE '(src|href)="https?:' "$RESULT/report.html")" -eq 0 ]
}

@test "the page stands alone, and says in words what it shows" {
  local page=$RESULT/report.html link
  grep -q '<html lang="en">' "$page"
  grep -q 'prefers-color-scheme: dark' "$page"
  [ "$(grep -cE '<script|<link|<img|@import' "$page")" -eq 0 ]
  [ "$(grep -c '<svg' "$page")" -eq "$(grep -cE '<svg role="img" aria-label="[^"]{10,}"' "$page")" ]
  [ "$(grep -c '<figure>' "$page")" -eq "$(grep -c '<figcaption>' "$page")" ]
  [ "$(grep -c '<table>' "$page")" -eq "$(grep -c '<caption>' "$page")" ]
  [ "$(grep -c 'class="table"' "$page")" -eq "$(grep -c 'class="table" role="region" tabindex="0"' "$page")" ]
  [ -z "$(grep -oE ' id="[^"]*"' "$page" | sort | uniq -d)" ]
  [ -z "$(grep -oE 'role="region" tabindex="0" aria-label="[^"]*"' "$page" | sort | uniq -d)" ]
  [ "$(grep -cE '<th scope="[a-z]+"></th>' "$page")" -eq 0 ]
  grep -oE 'href="#s[0-9]+"' "$page" | cut -d '"' -f 2 | while read -r link; do
    grep -q " id=\"${link#\#}\"" "$page"
  done
}

@test "the report made again from the CSV files is the same byte for byte" {
  cp -r "$RESULT" "$BATS_TEST_TMPDIR/again"
  rm -r "$BATS_TEST_TMPDIR"/again/{charts,report.md,report.html}
  bench report "$BATS_TEST_TMPDIR/again"
  diff -r "$RESULT" "$BATS_TEST_TMPDIR/again"
}

@test "an intact result is accepted" {
  run spoiled true
  [ "$status" -eq 0 ]
}

@test "rejected: an unknown backend" {
  refused 'unknown backend: oracle' sed -i '2s/,server,1,/,oracle,1,/' samples.csv
}

@test "rejected: an unknown operation" {
  refused 'unknown operation: links8 autocommit merge' sed -i 's/^links8,autocommit,create,/links8,autocommit,merge,/' samples.csv
}

@test "rejected: a missing operation" {
  refused 'not measured: links8 autocommit create native_unlogged' sed -i '/^links8,autocommit,create,native_unlogged,/d' samples.csv
}

@test "rejected: a backend that was to be measured" {
  refused 'backend missing from the list: native_unlogged' sed -i '/,native_unlogged,/d' samples.csv runs.csv backends.csv
}

@test "a backend that a workload leaves out is not missed there, and elsewhere it is" {
  without_it() {
    sed -i '/^links8,.*,native_covering_unlogged,/d' samples.csv medians.csv wal.csv
    sed -i '/,links8,.*,native_covering_unlogged,/d' runs.csv
    sed -i "s/^\"left_out\",.*/\"left_out\",\"$1\"/" provenance.csv
  }
  run spoiled without_it 'floors native_covering_unlogged'
  [ "$status" -ne 0 ]
  [[ $output == *"not measured: links8 autocommit create native_covering_unlogged"* ]]
  rm -r "$BATS_TEST_TMPDIR/spoiled"
  run spoiled without_it 'scale n4,links8 native_covering_unlogged'
  [ "$status" -eq 0 ]
}

@test "rejected: a sample given twice" {
  refused 'given twice' sed -i '2p' samples.csv
}

@test "rejected: a duration that is not positive" {
  refused 'not a positive duration' sed -i -E '2s/^(([^,]*,){7})[^,]*/\10/' samples.csv
}

@test "rejected: a duration that is not finite" {
  refused 'not a positive duration' sed -i -E '2s/^(([^,]*,){7})[^,]*/\1NaN/' samples.csv
}

@test "rejected: fewer samples than declared" {
  refused '1 samples instead of 2' sed -i '2d' samples.csv
}

@test "rejected: a median that does not follow from the samples" {
  refused 'the median does not follow from the samples: links8 autocommit create' \
    sed -i -E 's/^(links8,autocommit,create,native_unlogged,).*/\112345/' medians.csv
}

@test "rejected: a median that is missing" {
  refused 'the median does not follow from the samples' sed -i '/^links8,autocommit,create,native_unlogged,/d' medians.csv
}

@test "rejected: a sample that was changed afterwards" {
  refused 'the median does not follow from the samples' sed -i -E '2s/^(([^,]*,){7})[^,]*/\1987654321/' samples.csv
}

@test "rejected: runs with another number of samples than the report says" {
  refused 'another number of samples than the report says' eval '
    sed -i "s/^\"samples\",.*/\"samples\",\"5\"/; s/^\"heavy_samples\",.*/\"heavy_samples\",\"5\"/; s/^\"load_samples\",.*/\"load_samples\",\"5\"/" provenance.csv'
}

@test "rejected: two versions, sizes or seeds in one report" {
  for key in server links8_background_links links8_links seed; do
    rm -rf "$BATS_TEST_TMPDIR/spoiled"
    refused "provenance given twice: $key" sh -c "grep -E '^\"?$key\"?,' provenance.csv >twice; cat twice >>provenance.csv"
  done
}

@test "rejected: a latency, a size or a number of bytes that cannot be" {
  refused 'not a latency: 1' sh -c 'echo 1,1,1,1,0,1.5,-1,0 >>transactions.csv'
  rm -rf "$BATS_TEST_TMPDIR/spoiled"
  refused 'transactions of an unknown run: 99999' sh -c 'echo 99999,1,1,1,0,1.5,10,0 >>transactions.csv'
  rm -rf "$BATS_TEST_TMPDIR/spoiled"
  refused 'not a number of bytes' sh -c 'echo links8,autocommit,create,native_unlogged,1,1,-5 >>wal.csv'
  rm -rf "$BATS_TEST_TMPDIR/spoiled"
  refused 'not a size' sh -c 'echo real,native_unlogged,0,1,1 >>sizes.csv'
}

@test "rejected: a file that is missing" {
  run spoiled rm runs.csv
  [ "$status" -ne 0 ]
}

@test "the README gets the results between its markers, and nothing else changes" {
  mkdir "$BATS_TEST_TMPDIR/readme"
  cp -r "$RESULT" "$BATS_TEST_TMPDIR/readme/result"
  printf '%s\n' before '<!-- results:begin -->' old '<!-- results:end -->' after >"$BATS_TEST_TMPDIR/readme/README.md"
  bench report "$BATS_TEST_TMPDIR/readme/result" --readme "$BATS_TEST_TMPDIR/readme/README.md"
  [ "$(head -n 2 "$BATS_TEST_TMPDIR/readme/README.md" | tr '\n' ' ')" = 'before <!-- results:begin --> ' ]
  [ "$(tail -n 2 "$BATS_TEST_TMPDIR/readme/README.md" | tr '\n' ' ')" = '<!-- results:end --> after ' ]
  grep -q '^links8, autocommit:' "$BATS_TEST_TMPDIR/readme/README.md"
  run ! grep -qx old "$BATS_TEST_TMPDIR/readme/README.md"
  [ -s "$BATS_TEST_TMPDIR/readme/bench/results/report.md" ]
  cp "$BATS_TEST_TMPDIR/readme/README.md" "$BATS_TEST_TMPDIR/readme/once"
  bench report "$BATS_TEST_TMPDIR/readme/result" --readme "$BATS_TEST_TMPDIR/readme/README.md"
  cmp "$BATS_TEST_TMPDIR/readme/once" "$BATS_TEST_TMPDIR/readme/README.md"
}

@test "rejected: markers that are not exactly one pair in order" {
  local begin='<!-- results:begin -->' end='<!-- results:end -->' text
  cp -r "$RESULT" "$BATS_TEST_TMPDIR/result"
  for text in "$begin" "$end" "$end $begin" "$begin $begin $end" "$begin $end $end" ''; do
    # A marker a line.
    printf '%s\n' "$text" | sed 's/> </>\n</g' >"$BATS_TEST_TMPDIR/README.md"
    cp "$BATS_TEST_TMPDIR/README.md" "$BATS_TEST_TMPDIR/before"
    run library ". '$ROOT/bench/lib/session.bash'; . '$ROOT/bench/lib/report.bash'
      BENCH_ROOT=$ROOT/bench WORK=$BATS_TEST_TMPDIR; report_readme '$BATS_TEST_TMPDIR/README.md'"
    [ "$status" -ne 0 ]
    [[ $output == *"does not hold exactly one"* ]]
    cmp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/README.md"
  done
}

@test "a result compared with itself agrees everywhere, and with another workload not at all" {
  run bench compare "$RESULT" "$RESULT"
  [ "$status" -eq 0 ]
  [[ $output == *"24 of 24 verdicts agree (100.0 %); 0 turned"* ]]
  cp -r "$RESULT" "$BATS_TEST_TMPDIR/other"
  sed -i 's/^"links8_links",.*/"links8_links","3"/' "$BATS_TEST_TMPDIR/other/provenance.csv"
  run bench compare "$RESULT" "$BATS_TEST_TMPDIR/other"
  [ "$status" -ne 0 ]
  [[ $output == *"different workloads"*"links8_links: 2 and 3"* ]]
}

@test "a verdict that turned is counted and named when two results are compared" {
  # Tables alone are each other's baselines; so one of them is called a store.
  local time cell=links8,autocommit,create,native_covering_unlogged
  for time in 1 1000000000; do
    cp -r "$RESULT" "$BATS_TEST_TMPDIR/$time"
    sed -i '/^[0-9]*,native_covering_unlogged,/s/,native,volatile,/,doublets,volatile,/' "$BATS_TEST_TMPDIR/$time/backends.csv"
    echo '"extension","doublets"' >>"$BATS_TEST_TMPDIR/$time/provenance.csv"
    sed -i -E "s/^($cell(,[^,]*){3},)[^,]*/\1$time/" "$BATS_TEST_TMPDIR/$time/samples.csv"
    sed -i "s/^$cell,.*/$cell,$time/" "$BATS_TEST_TMPDIR/$time/medians.csv"
  done
  run bench compare "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/1000000000"
  [ "$status" -eq 0 ]
  [[ $output == *"faster → slower"*"23 of 24 verdicts agree (95.8 %); 1 turned"* ]]
}

@test "a server that is there: its own database only, never one that holds something" {
  psql -XAtq -c 'CREATE DATABASE full_one' -c 'CREATE DATABASE empty_one'
  psql -XAtq -d full_one -c 'CREATE TABLE precious (n integer)'
  PGDATABASE=full_one run "$TREE/scripts/bench.sh" run --server --workloads floors --output "$BATS_TEST_TMPDIR/full"
  [ "$status" -ne 0 ]
  [[ $output == *"database full_one is not empty"*precious* ]]
  [ "$(psql -XAt -d full_one -c '\dt' | cut -d '|' -f 2)" = precious ]
  PGDATABASE=empty_one "$TREE/scripts/bench.sh" run --server --workloads floors --output "$BATS_TEST_TMPDIR/empty"
  [ -s "$BATS_TEST_TMPDIR/empty/report.html" ]
  [ "$(psql -XAt -d empty_one -c "SELECT count(*) FROM pg_class WHERE oid >= 16384")" = 0 ]
  PGDATABASE=new_one "$TREE/scripts/bench.sh" run --server --workloads floors --output "$BATS_TEST_TMPDIR/new"
  [ "$(psql -XAt -c "SELECT count(*) FROM pg_database WHERE datname = 'new_one'")" = 0 ]
  psql -XAtq -c 'DROP DATABASE full_one' -c 'DROP DATABASE empty_one'
}

@test "an interrupted run leaves no server, no scratch directory and no result" {
  mkdir -m 755 "$BATS_TEST_TMPDIR/tmp"
  chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" || true
  local pid log=$BATS_TEST_TMPDIR/log
  # A process group of its own, in which interrupts are not ignored.
  TMPDIR=$BATS_TEST_TMPDIR/tmp setsid env --default-signal=INT -u PGHOST -u PGPORT -u PGUSER -u PGDATABASE \
    "$TREE/scripts/bench.sh" run --no-setup --workloads links8 --output "$BATS_TEST_TMPDIR/result" >"$log" 2>&1 &
  pid=$!
  for _ in $(seq 600); do
    ! grep -q 'step 1 of' "$log" || break
    sleep 0.1
  done
  grep -q 'step 1 of' "$log"
  kill -INT -- "-$pid"
  wait "$pid" || [ "$?" -eq 130 ]
  [ ! -e "$BATS_TEST_TMPDIR/result" ]
  [ -z "$(ls -A "$BATS_TEST_TMPDIR/tmp")" ]
  run ! pgrep -f -- "-D $BATS_TEST_TMPDIR/tmp" >/dev/null
}

@test "rejected: missing provenance" {
  refused 'missing provenance: cpu' sed -i '/^"cpu",/d' provenance.csv
}

@test "rejected: an empty result" {
  refused 'no samples' sed -i '2,$d' samples.csv
}

@test "clients read from all backends in turn, then write to all in turn, in an order of their own each time" {
  run in_prepared "WITH clients AS (
      SELECT step, repetition, operation IN ('insert', 'xid') AS writes, sample, operation || ' ' || backend AS who
      FROM steps JOIN runs USING (run) WHERE mode = 'client'
    ), rounds AS (
      SELECT repetition, writes, sample, min(step) AS first, max(step) - min(step) + 1 AS steps, count(DISTINCT who) AS whose,
        string_agg(who, ',' ORDER BY step) AS sequence
      FROM clients GROUP BY repetition, writes, sample
    )
    SELECT writes, count(*), bool_and(steps = whose), min(whose), count(DISTINCT sequence) > 1,
      array_agg(sample ORDER BY first) = '{-1,0,1,2,3,-1,0,1,2,3}'
    FROM rounds GROUP BY writes ORDER BY writes"
  [ "$status" -eq 0 ]
  [ "${lines[0]}" = 'f|10|t|4|t|t' ]
  [ "${lines[1]}" = 't|10|t|3|t|t' ]
}

@test "inside the server the backends of an operation take turns, in an order of their own each time" {
  run in_prepared "WITH rounds AS (
      SELECT repetition, workload, mode, operation, sample, visit, min(step) AS first, max(step) - min(step) + 1 AS steps,
        count(DISTINCT backend) AS whose, string_agg(backend, ',' ORDER BY step) AS sequence
      FROM steps JOIN runs USING (run) WHERE mode <> 'client' AND workload <> 'floors'
      GROUP BY repetition, workload, mode, operation, sample, visit
    ), operations AS (
      SELECT workload, bool_and(steps = 2 AND whose = 2) AS each_has_one, count(DISTINCT sequence) > 1 AS shuffled,
        array_agg(sample ORDER BY first) AS samples, max(first + steps) - min(first) = sum(steps) AS together
      FROM rounds GROUP BY repetition, workload, mode, operation
    )
    SELECT count(*), bool_and(each_has_one), count(*) FILTER (WHERE shuffled) > count(*) / 2,
      bool_and(samples = '{-1,0,1,2,3,1,2,3}'), bool_and(together) FROM operations WHERE workload = 'links8'"
  [ "$output" = '32|t|t|t|t' ]
}

@test "on large data a turn is all samples of a backend, after all backends are reset" {
  run in_prepared "WITH turns AS (
      SELECT repetition, operation, visit, backend, min(step) AS first, max(step) - min(step) + 1 = count(*) AS in_a_row, count(*) AS steps,
        (array_agg(sample ORDER BY step))[1] AS begins_with, string_agg(sample::text, ',' ORDER BY step) AS sequence
      FROM steps JOIN runs USING (run) WHERE workload = 'targets' AND mode = 'server' AND operation = 'cte3' AND sample >= 0
      GROUP BY repetition, operation, visit, backend
    )
    SELECT count(*), bool_and(in_a_row), min(steps) FILTER (WHERE visit = 1), min(steps) FILTER (WHERE visit = 2),
      bool_and(begins_with = 0) FILTER (WHERE visit = 1), count(DISTINCT sequence) > 3,
      bool_and(first > (SELECT max(step) FROM steps JOIN runs USING (run) WHERE runs.repetition = turns.repetition
        AND workload = 'targets' AND operation = 'cte3' AND sample < 0))
    FROM turns"
  [ "$output" = '8|t|4|3|t|t|t' ]
}

@test "a sample is the mean over the iterations of its visits, and long enough once it lasted" {
  local keep="FROM runs WHERE operation = 'create' AND repetition = 1 AND backend = 'native_unlogged' AND mode = 'autocommit'"
  run in_prepared "DO \$\$DECLARE r runs; BEGIN SELECT * INTO r $keep;
      CALL meter_keep(r, 1, 1, (NULL, NULL, NULL, 10, 5, 100)); CALL meter_keep(r, 1, 3, (NULL, NULL, NULL, 90, 3, 900)); END\$\$" \
    'SELECT iterations, wall_us, cpu_us, wal_bytes FROM samples JOIN wal USING (workload, mode, operation, backend, repetition, sample)' \
    "SELECT lasted(run, 1, 0.0001), lasted(run, 1, 0.000101), lasted(run, 2, 0) $keep"
  [ "$status" -eq 0 ]
  [ "${lines[0]}" = '4|25|2|250' ]
  [ "${lines[1]}" = 't|f|f' ]
}

@test "a measuring session keeps what it knows between the samples of its run, and its failure ends the run" {
  run library "for part in session measure; do . \"$ROOT/bench/lib/\$part.bash\"; done
    WORK=$BATS_TEST_TMPDIR RUN_LEFT=([1]=2 [2]=2) STEP_VISIT=1
    export PGHOST=$CLUSTER/cluster/socket PGPORT=5432 PGUSER=postgres PGDATABASE=prepared
    run_step 1 native_unlogged -1 '\\set known one'
    run_step 2 native_covering_unlogged -1 ''
    run_step 1 native_unlogged 0 \"SELECT set_config('test.known', :'known' || current_schema, false);\"
    run_step 2 native_covering_unlogged 0 'CREATE TEMPORARY TABLE own (n integer);'
    RUN_LEFT=([1]=0 [2]=0)
    run_step 1 native_unlogged 1 \"SELECT current_setting('test.known') \\\\g $BATS_TEST_TMPDIR/known\"
    run_step 2 native_covering_unlogged 1 'SELECT 1 / 0;'
    echo went on"
  [ "$status" -ne 0 ]
  [ "$(cat "$BATS_TEST_TMPDIR/known")" = onenative_unlogged ]
  [[ $output == *"division by zero"*"a measuring session ended early"* ]]
  [[ $output != *"went on"* ]]
}

@test "a sample lasts from mark to mark, and says how many transactions the next one needs" {
  local marks="INSERT INTO marks VALUES ('begin', '2000-01-01 00:00:00', 1000000000), ('end', '2000-01-01 00:00:02', 1800000000)"
  local run="(SELECT run FROM runs WHERE operation = 'xid' AND repetition = 1)"
  run in_prepared "$marks" "SELECT keep_sample($run, 0, 1000, 0.5)" "$marks" "SELECT keep_sample($run, 1, 1000, 0.5)" \
    'SELECT sample, iterations, wall_us, cpu_us FROM samples'
  [ "$status" -eq 0 ]
  [ "${lines[*]}" = '250 250 1|1000|2000|800' ]
}

@test "a sample whose end is not marked is none" {
  run in_prepared "INSERT INTO marks VALUES ('begin', now(), 1)" 'SELECT keep_sample(min(run), 1, 1000, 0.5) FROM runs'
  [ "$status" -ne 0 ]
  [[ $output == *"query returned no rows"* ]]
}

@test "the backend of a client moves to the client's core" {
  local core
  core=$(library ". '$ROOT/bench/lib/measure.bash'; client_core")
  [[ $core =~ ^[0-9]+$ ]] || skip "cores cannot be chosen here"
  run in_prepared "CALL pin($core)" "SELECT substring(pg_read_file('/proc/self/status') FROM 'Cpus_allowed_list:\\s*(\\S+)')"
  [ "$output" = "$core" ]
}

# faults SQL: how often a new backend, after the SQL, has to bring pages into its memory while it reads all links.
faults() {
  local read="SELECT split_part(pg_read_file('/proc/self/stat'), ' ', 10)::bigint AS faults \\gset"
  PGOPTIONS='-c search_path=native_unlogged,bench' psql -XAtq -v ON_ERROR_STOP=1 -d prepared <<SQL
SELECT sum(source) FROM generate_series(1, 1000) AS source \\g /dev/null
$1;
$read
SELECT sum(source) FROM links \\g /dev/null
SELECT split_part(pg_read_file('/proc/self/stat'), ' ', 10)::bigint - :faults;
SQL
}

@test "what a backend reads is in its memory before anything is timed" {
  PGOPTIONS='-c search_path=native_unlogged' psql -Xq -d prepared \
    -c 'INSERT INTO links (source, target) SELECT n, n FROM generate_series(1, 200000) AS n' -c 'VACUUM ANALYZE links'
  local untouched touched
  untouched=$(faults 'SELECT')
  touched=$(faults 'CALL touch()')
  psql -Xq -d prepared -c 'TRUNCATE native_unlogged.links RESTART IDENTITY'
  [ "$((10 * touched))" -lt "$untouched" ]
}

@test "a backend that lost links in a client's run is caught" {
  run in_prepared 'INSERT INTO links (source, target) VALUES (1, 1)' 'CALL check_count(2)'
  [ "$status" -ne 0 ]
  [[ $output == *"the backend holds 1 links instead of 2"* ]]
}

@test "a client that fails ends the run" {
  local script=$TREE/bench/floor_xid.sql
  cp "$script" "$BATS_TEST_TMPDIR/script.sql"
  echo 'SELECT 1 / 0;' >>"$script"
  run bench run --no-setup --workloads floors --output "$BATS_TEST_TMPDIR/result"
  cp "$BATS_TEST_TMPDIR/script.sql" "$script"
  [ "$status" -ne 0 ]
  [[ $output == *"pgbench failed: floor_xid.sql"* ]]
  [ ! -e "$BATS_TEST_TMPDIR/result" ]
}

@test "the steps of memory keep the number of links they promise" {
  run psql -XAtq -v ON_ERROR_STOP=1 -d prepared -c 'SET search_path = native_unlogged, bench' \
    -c "CALL memory_step('loaded', 1)" -c 'SELECT count(*), count(*) FILTER (WHERE source = 101) FROM links' \
    -c "CALL memory_step('half deleted in ten transactions', 1)" -c 'SELECT count(*) FROM links' \
    -c "CALL memory_step('filled again', 1)" -c 'SELECT count(*) FROM links' -c 'TRUNCATE links'
  [ "$status" -eq 0 ]
  [ "${lines[*]}" = '1100|100 550 1100' ]
}

@test "the floor of transactions that write is reported" {
  grep -q '^| Transaction that only takes a transaction id | by pgbench' "$RESULT/report.md"
}

@test "a target is shown beside what a store that costs nothing would reach" {
  run judged "SELECT fields[6:7] FROM report.target_lines WHERE fields[1] LIKE 'Autocommit INSERT, CPU%'" eval '
    sed -i -E "s/^(floors,client,xid,server,1,[0-9]+,[0-9]+),.*/\1,20,16/" samples.csv
    sed -i "s/^floors,client,xid,server,.*/floors,client,xid,server,20/" medians.csv
    with_store "operations 67,targets,client,insert,Prepared autocommit INSERT" \
      "runs 901,1,targets,client,insert,native_unlogged,2,1,1" \
      "runs 902,1,targets,client,insert,split_volatile,2,1,1" \
      "samples targets,client,insert,native_unlogged,1,1,100,50,40" "samples targets,client,insert,native_unlogged,1,2,100,50,40" \
      "samples targets,client,insert,split_volatile,1,1,100,30,20" "samples targets,client,insert,split_volatile,1,2,100,30,20" \
      "medians targets,client,insert,native_unlogged,50" "medians targets,client,insert,split_volatile,30"'
  [ "$output" = '{2×,"2.5× (xid only: 16 µs)"}' ]
}

@test "memory that is allocated and not in use is judged above 256 MB" {
  local query="SELECT fields[4], fields[5], fields[6], fields[9] FROM report.target_lines WHERE fields[1] LIKE 'Memory allocated%'"
  run judged "$query" with_store 'sizes memory 1: loaded,split_volatile,1000,300000000,360000000'
  [ "$output" = 'split_volatile|343.3 MB|1.2×|met' ]
  run judged "$query" with_store 'sizes memory 1: loaded,split_volatile,1000,300000000,390000000'
  [ "$output" = 'split_volatile|371.9 MB|1.3×|missed by 4 %' ]
  run judged "$query" with_store 'sizes memory 1: loaded,split_volatile,1000,100000000,130000000'
  [ "$output" = 'split_volatile|124.0 MB|1.3×|not judged' ]
}

@test "a run that fails at the last step publishes nothing and leaves no server" {
  mkdir "$BATS_TEST_TMPDIR/tools"
  printf '#!/bin/sh\n[ "$1" = --version ] && { echo gnuplot; exit 0; }\nexit 1\n' >"$BATS_TEST_TMPDIR/tools/gnuplot"
  chmod +x "$BATS_TEST_TMPDIR/tools/gnuplot"
  mkdir -m 755 "$BATS_TEST_TMPDIR/tmp"
  chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" || true
  PATH=$BATS_TEST_TMPDIR/tools:$PATH run bench run --no-setup --workloads links8 --output "$BATS_TEST_TMPDIR/none/result"
  [ "$status" -ne 0 ]
  [[ $output == *"gnuplot failed"* ]]
  [ ! -e "$BATS_TEST_TMPDIR/none/result" ]
  [ -z "$(find "$BATS_TEST_TMPDIR/none" -name '.publishing*' 2>/dev/null)" ]
}

@test "a planted difference between backends stops the run before anything is timed" {
  local schema=$TREE/bench/backends/native_covering_unlogged/schema.sql
  cp "$schema" "$BATS_TEST_TMPDIR/schema.sql"
  cat >>"$schema" <<'SQL'
CREATE FUNCTION native_covering_unlogged.spoil() RETURNS trigger LANGUAGE plpgsql AS
'BEGIN IF NEW.target = 1000008 THEN NEW.target := 1000009; END IF; RETURN NEW; END';
CREATE TRIGGER spoil BEFORE INSERT ON native_covering_unlogged.links FOR EACH ROW
EXECUTE FUNCTION native_covering_unlogged.spoil();
SQL
  run bench run --no-setup --workloads links8 --output "$BATS_TEST_TMPDIR/result"
  cp "$BATS_TEST_TMPDIR/schema.sql" "$schema"
  [ "$status" -ne 0 ]
  [[ $output == *"conformance: native_covering_unlogged differs from native"* ]]
  [[ $output != *"step 1 of"* ]]
  [ ! -e "$BATS_TEST_TMPDIR/result" ]
}

@test "a backend without its index is caught by the assertion of its plans" {
  local schema=$TREE/bench/backends/native_unlogged/indexes.sql
  cp "$schema" "$BATS_TEST_TMPDIR/schema.sql"
  sed -i '/links_target/d' "$schema"
  run bench run --no-setup --workloads links8 --output "$BATS_TEST_TMPDIR/result"
  cp "$BATS_TEST_TMPDIR/schema.sql" "$schema"
  [ "$status" -ne 0 ]
  [[ $output == *"native_unlogged does not use the expected plans in links8"* ]]
  [ ! -e "$BATS_TEST_TMPDIR/result" ]
}

@test "a procedure that times another statement than its script is caught" {
  local script=$TREE/bench/links8_each_outgoing.sql
  cp "$script" "$BATS_TEST_TMPDIR/script.sql"
  sed -i 's/WHERE source/WHERE target/' "$script"
  run bench run --no-setup --workloads links8 --output "$BATS_TEST_TMPDIR/result"
  cp "$BATS_TEST_TMPDIR/script.sql" "$script"
  [ "$status" -ne 0 ]
  [[ $output == *"time different statements"* ]]
}

@test "settings that make no sense are refused before anything starts" {
  BENCHMARK_LINKS=11 run bench run --no-setup
  [ "$status" -ne 0 ]
  [[ $output == *"BENCHMARK_LINKS: '11' is not a whole number from 1 to BENCHMARK_BACKGROUND_LINKS (10)"* ]]
  BENCHMARK_SAMPLES=1 run bench run --no-setup
  [[ $output == *"BENCHMARK_SAMPLES: '1'"* ]]
  BENCHMARK_BACKEND=oracle run bench run --no-setup
  [[ $output == *"unknown backend 'oracle'"* ]]
  BENCHMARK_BACKGROUND_LINKS=0 run bench run --no-setup
  [[ $output == *"BENCHMARK_BACKGROUND_LINKS: '0'"* ]]
  BENCHMARK_WARMUP=soon run bench run --no-setup
  [[ $output == *"BENCHMARK_WARMUP: 'soon'"* ]]
  BENCHMARK_BACKGROUND_LINKS=10 BENCHMARK_LINKS=10 run bench run --no-setup --workloads links7
  [[ $output == *"links7 needs BENCHMARK_BACKGROUND_LINKS (10)"* ]]
  run bench compare "$RESULT"
  [[ $output == *"compare needs the directories of two results"* ]]
  run bench run --readme "$BATS_TEST_TMPDIR/none"
  [[ $output == *"is not a file"* ]]
  run bench run enormous
  [[ $output == *"unknown size 'enormous'"* ]]
  run bench run --workloads nothing
  [[ $output == *"unknown workload 'nothing'"* ]]
  run bench measure
  [[ $output == *"unknown verb 'measure'"* ]]
  run bench run --output "$BATS_TEST_TMPDIR"
  [[ $output == *"exists"* ]]
}
