#!/usr/bin/env bats
# shellcheck shell=bash
# The benchmark's workloads: every script runs by hand, what is made from scripts is what they say, seeds and checks mean
# something. Native tables only; needs no extension.

bats_require_minimum_version 1.5.0

setup_file() {
  ROOT=$(cd "$BATS_TEST_DIRNAME/../../.." && pwd)
  export ROOT
  CLUSTER=$(library "scratch_create; cluster_start \"\$SCRATCH/cluster\" >/dev/null; echo \"\$SCRATCH\"")
  export CLUSTER PGHOST=$CLUSTER/cluster/socket PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
  psql -XAtq -v ON_ERROR_STOP=1 -f "$ROOT/bench/workloads/harness.sql" -f "$ROOT/bench/backends/native/schema.sql" >/dev/null
  for workload in deep links7 linkbench checkout contention aged; do
    native -f "$ROOT/bench/workloads/$workload/"*procedures.sql >/dev/null 2>&1 || true
    [ ! -f "$ROOT/bench/workloads/$workload/sampling.sql" ] || native -f "$ROOT/bench/workloads/$workload/sampling.sql" >/dev/null
  done
}

teardown_file() {
  [ -z "${CLUSTER:-}" ] ||
    library "SCRATCH=$CLUSTER CLUSTER_DIR=$CLUSTER/cluster CLUSTER_SOCKET_DIR=$CLUSTER/cluster/socket; cluster_stop; scratch_remove"
}

native() {
  PGOPTIONS='-c search_path=native,bench -c client_min_messages=warning' psql -XAtq -v ON_ERROR_STOP=1 "$@"
}

# library CODE: runs it in a strict shell with the libraries.
library() {
  bash -c "set -euo pipefail
    . '$ROOT/scripts/lib/common.bash'; . '$ROOT/scripts/lib/cluster.bash'
    for part in session statements generate measure generic clients restart; do . \"$ROOT/bench/lib/\$part.bash\"; done
    BENCH_ROOT=$ROOT/bench SEED=1 BACKENDS=(native)
    $1"
}

# generated FILE SQL…: procedures made from FILE, then the statements.
generated() {
  local file=$1
  shift
  library "generate_procedures '$file'" >"$BATS_TEST_TMPDIR/generated.sql"
  native -f "$BATS_TEST_TMPDIR/generated.sql" "${@/#/-c}" 2>&1
}

@test "every script runs by hand, without variables, in both query modes" {
  native -c 'TRUNCATE links RESTART IDENTITY' -c 'INSERT INTO links (source, target) SELECT n, n FROM generate_series(1, 1000) AS n' \
    -c 'INSERT INTO deep_links (from_id, to_id) SELECT n, n + 1 FROM generate_series(1, 1000) AS n'
  for mode in simple prepared; do
    for file in "$ROOT"/bench/*.sql; do
      # pgRouting need not be there.
      ! grep -q '^-- needs: bench\.' "$file" || continue
      PGOPTIONS='-c search_path=native -c client_min_messages=warning' pgbench -n -t 1 -M "$mode" -f "$file" >"$BATS_TEST_TMPDIR/log" 2>&1 ||
        { echo "$mode $file"; cat "$BATS_TEST_TMPDIR/log"; return 1; }
      run ! grep -E 'aborted|ERROR' "$BATS_TEST_TMPDIR/log"
    done
  done
}

@test "only scripts lie directly in bench/, and each names its workload" {
  run bash -c "find '$ROOT/bench' -maxdepth 1 -type f ! -name '*.sql' ! -name '*.md'"
  [ -z "$output" ]
  for file in "$ROOT"/bench/*.sql; do
    workload=$(basename "$file" .sql)
    workload=${workload%%_*}
    grep -q "^[0-9]*,${workload/floor/floors}s\?," "$ROOT/bench/workloads/operations.csv" ||
      grep -q "^[0-9]*,$workload," "$ROOT/bench/workloads/operations.csv"
  done
}

@test "a procedure made from a script counts the rows it met and the links it made" {
  local file=$BATS_TEST_TMPDIR/made_insert.sql
  printf '%s\n' '-- effect: 1' '\set node random(1, 5)' 'INSERT INTO links (source, target) VALUES (:node, 7) RETURNING id \gset new_' \
    'UPDATE links SET target = 8 WHERE id = :new_id;' >"$file"
  run generated "$file" 'TRUNCATE links' 'CALL hold()' 'CALL timed_made_insert_native(0, 1, 1, 10, 0)' 'CALL count_effect(10)' \
    'SELECT count(*), min(source) >= 1, max(source) <= 5, count(DISTINCT source) > 1, min(target) FROM links'
  [ "$status" -eq 0 ]
  [ "${lines[0]}" = 20 ]
  [ "${lines[1]}" = '10|t|t|t|8' ]
}

@test "links that a procedure did not make as promised are noticed" {
  local file=$BATS_TEST_TMPDIR/false_insert.sql
  printf '%s\n' '-- effect: 2' 'INSERT INTO links (source, target) VALUES (1, 7);' >"$file"
  run generated "$file" 'TRUNCATE links' 'CALL hold()' 'CALL warm_up_false_insert_native(1, 0, 0, 1, 1)'
  [ "$status" -ne 0 ]
  [[ $output == *"the backend holds 1 links instead of 2"* ]]
}

@test "a store runs the form for stores, a table the one for tables" {
  [ "$(library "script_statements '$ROOT/bench/functions_count.sql' doublets")" = "SELECT doublets.count_links('links', NULL, :node);" ]
  [ "$(library "script_statements '$ROOT/bench/functions_count.sql' native")" = 'SELECT count(*) FROM links WHERE source = :node;' ]
}

@test "answers that differ are noticed" {
  local file=$BATS_TEST_TMPDIR/made_read.sql
  printf '%s\n' 'SELECT id, target FROM links WHERE source = 1;' >"$file"
  run generated "$file" 'TRUNCATE links RESTART IDENTITY' 'INSERT INTO links (source, target) VALUES (1, 2)' \
    "CALL check_answer('made', 'read', answer_made_read_native(1, 3))" 'UPDATE links SET target = 3' \
    "CALL check_answer('made', 'read', answer_made_read_native(1, 3))"
  [ "$status" -ne 0 ]
  [[ $output == *"wrong answer from made read"* ]]
}

@test "the search level by level meets what the recursive CTE meets, and stops at the goal or the depth" {
  native -c 'CALL graph_input(1)' -c 'CALL graph_load()'
  run native -c "WITH RECURSIVE reach (start, node) AS (
      SELECT n, n FROM generate_series(1::bigint, 20) AS n UNION SELECT start, links.target FROM reach JOIN links ON links.source = node)
    SELECT count(*) FILTER (WHERE ARRAY(SELECT unnest(levels(start, NULL, NULL)) ORDER BY 1) = nodes) FROM (
      SELECT start, array_agg(node ORDER BY node) AS nodes FROM reach GROUP BY start) AS r" \
    -c 'TRUNCATE links' -c 'INSERT INTO links (source, target) VALUES (1, 2), (2, 3), (2, 1), (3, 4), (1, 2), (5, 1)' \
    -c 'SELECT levels(1, NULL, NULL), levels(1, 3, NULL), levels(1, 1, NULL), levels(1, NULL, 1), levels(9, 1, NULL), levels(1, 5, 2)'
  [ "${lines[0]}" = 20 ]
  [ "${lines[1]}" = '{1,2,3,4}|{1,2,3}|{1}|{1,2}|{9}|{1,2,3}' ]
}

@test "pgRouting meets as many nodes as the recursive CTE; where it is missing, its operations are left out" {
  run library "plans_statements functions native | grep -c functions_routing
    OPERATIONS_MISSING='functions routing3,functions routing'
    ! plans_statements functions native | grep functions_routing"
  [ "$status" -eq 0 ]
  [ "$output" = 2 ]
  [ "$(native -c "SELECT count(*) FROM pg_available_extensions WHERE name IN ('postgis', 'pgrouting')")" = 2 ] || skip 'no pgRouting'
  library "WORKLOADS=(functions); measure_routing
    generate_procedures \$BENCH_ROOT/functions_{routing,routing3,walk,walk3}.sql | session native"
  run native -c 'CALL graph_input(1)' -c 'CALL graph_load()' \
    -c 'SELECT answer_functions_routing_native(1, 20) = answer_functions_walk_native(1, 20)' \
    -c 'SELECT answer_functions_routing3_native(1, 20) = answer_functions_walk3_native(1, 20)'
  [ "$output" = $'t\nt' ]
}

@test "an operation that is another one done otherwise must answer alike" {
  local code="WORK=$BATS_TEST_TMPDIR SHORT_WARM_UP=0 SHORT_SECONDS=0 VISITS=1 TURNS=1 STEP_VISIT=1
    generate_procedures \$BENCH_ROOT/functions_walk3.sql \$BENCH_ROOT/functions_levels3.sql | session native
    sql -c 'CALL bench.graph_input(1)' -c 'DELETE FROM bench.samples' -c 'DELETE FROM bench.runs' \
      -c \"INSERT INTO bench.runs SELECT n, 1, 'functions', 'server', (ARRAY['walk3', 'levels3'])[n], 'native', 2 FROM generate_series(1, 2) AS n\"
    session native -c 'CALL bench.graph_load()'
    for sample in -1 0 1 2; do
      RUN_LEFT=([1]=\$((2 - sample)) [2]=\$((2 - sample)))
      generic_step 1 functions walk3 native 1 \$sample
      generic_step 2 functions levels3 native 1 \$sample
    done
    sql -c 'SELECT count(*) FROM bench.samples'
    session native -c 'DELETE FROM links WHERE id > 550' -c 'CALL bench.hold()'
    RUN_LEFT[2]=3
    generic_step 2 functions levels3 native 1 -1"
  run library "$code"
  [ "$status" -ne 0 ]
  [ "${lines[0]}" = 4 ]
  [[ ${lines[1]} == *"wrong answer from functions walk3:1"* ]]
  native -c 'DELETE FROM bench.samples' -c 'DELETE FROM bench.runs'
}

@test "a function of a store that returns rows must be a scan of its own, or part of a join" {
  local code="WORK=$BATS_TEST_TMPDIR/work; mkdir -p \$WORK
    plans_statements functions doublets >\$WORK/plans-functions-doublets.sql
    session() { sed -n 's/^.echo \(== .*plan: set\)/\1/p' \$WORK/plans-functions-doublets.sql | sed 's/\$/\n'\"\$PLAN\"'\n'\"\$PLAN\"'/'; }
    rm -f $BATS_TEST_TMPDIR/plans
    plans_check functions split_volatile $BATS_TEST_TMPDIR/plans"
  for node in function join; do
    PLAN="Custom Scan (doublets $node)" run library "$code"
    [ "$status" -eq 0 ]
  done
  for name in outgoing incoming lateral walk walk3 walk_many levels levels3 routing routing3 hubs; do
    grep "functions_$name.sql" "$BATS_TEST_TMPDIR/plans"
  done
  PLAN='Function Scan on outgoing' run library "$code"
  [ "$status" -ne 0 ]
  [[ $output == *"split_volatile does not use the expected plans in functions"* ]]
}

@test "a restart is timed until the links are there again" {
  native -c 'DELETE FROM bench.samples' -c 'DELETE FROM bench.runs' -c "INSERT INTO bench.runs VALUES (1, 1, 'scale', 'restart', 'ready', 'native', 2)"
  local started
  started=$(grep -c 'ready to accept connections' "$CLUSTER/cluster/server.log")
  run library "WORK=$BATS_TEST_TMPDIR RAW=$BATS_TEST_TMPDIR CLUSTER_DIR=$CLUSTER/cluster; declare -A GRAPH_HELD=()
    for sample in -1 0 1 2; do RUN_LEFT=([1]=\$((2 - sample))); restart_step 1 native 1 \$sample; done
    sql -c 'SELECT count(*), min(wall_us) > 1000, max(wall_us) < 60e6 FROM bench.samples'"
  [ "$status" -eq 0 ]
  [ "$output" = '2|t|t' ]
  [ "$(grep -c 'ready to accept connections' "$CLUSTER/cluster/server.log")" = $((started + 2)) ]
  native -c 'DELETE FROM bench.samples' -c 'DELETE FROM bench.runs'
}

@test "a checkout has 15 statements, a quote 6" {
  native -c 'CALL checkout_seed(0)'
  [ "$(library 'checkout_statements native checkout')" = 15 ]
  [ "$(library 'checkout_statements native quote')" = 6 ]
  cp -r "$ROOT/bench" "$BATS_TEST_TMPDIR/bench"
  echo 'SELECT 1;' >>"$BATS_TEST_TMPDIR/bench/checkout_quote.sql"
  [ "$(library "BENCH_ROOT=$BATS_TEST_TMPDIR/bench; checkout_statements native quote")" = 7 ]
}

@test "the books of the shop balance after checkouts, and a change to them is noticed" {
  native -c 'CALL checkout_seed(100)' -c 'CALL checkout_check()'
  PGOPTIONS='-c search_path=native' pgbench -n -M prepared -c 4 -t 20 -f "$ROOT/bench/checkout_checkout.sql"
  native -c 'CALL checkout_check()'
  [ "$(native -c 'SELECT count(*) FROM links')" = $((12090 + 7 * 180)) ]
  for spoil in 'UPDATE links SET target = target - 1 WHERE id = 1500' 'UPDATE links SET target = target + 1 WHERE id = 20' \
    'DELETE FROM links WHERE target = -1 AND source = (SELECT max(source) FROM links WHERE target = -1)' \
    'INSERT INTO links (source, target) VALUES (1, 1)'; do
    run native -c BEGIN -c "$spoil" -c 'CALL checkout_check()' -c ROLLBACK
    [ "$status" -ne 0 ]
    [[ $output == *"checkout: 180 orders"* ]]
  done
}

@test "short stock rolls the checkout back" {
  native -c 'CALL checkout_seed(0)' -c 'UPDATE links SET target = 0 WHERE id BETWEEN 1091 AND 2090'
  PGOPTIONS='-c search_path=native' pgbench -n -t 5 -f "$ROOT/bench/checkout_checkout.sql"
  [ "$(native -c 'SELECT count(*), sum(target) FILTER (WHERE id BETWEEN 1091 AND 2090) FROM links')" = '12090|0' ]
}

@test "the social graph has LinkBench's out-degrees" {
  native -c 'CALL linkbench_input(40)' -c 'CALL linkbench_load()' -c 'CALL linkbench_check()'
  run native -c "SELECT count(*) FROM links" -c "WITH degrees AS (
      SELECT node, (SELECT count(*) FROM links WHERE source = node AND id <> node) AS degree FROM generate_series(1, 10000) AS node)
    SELECT bool_and(abs(share - wanted) < 0.02) FROM (VALUES (0, 0.45), (1, 0.775), (4, 0.945), (49, 0.997)) AS w (most, wanted),
      LATERAL (SELECT avg((degree <= most)::integer) AS share FROM degrees) AS s"
  [ "${lines[0]}" = 40000 ]
  [ "${lines[1]}" = t ]
}

@test "links7 handles what it says, and a lost link is noticed" {
  native -c 'CALL links7_seed(30)'
  for operation in create update delete query_all query_id query_source query_target; do
    native -c "CALL links7_iteration('$operation', 30, 10, 0, 0)" >/dev/null
    [ "$(native -c 'SELECT count(*) FROM links')" = 30 ]
  done
  run native -c 'DELETE FROM links WHERE id = 5' -c "CALL links7_iteration('query_all', 30, 10, 0, 0)"
  [ "$status" -ne 0 ]
  [[ $output == *"links7 query_all: 39 rows instead of 40"* ]]
}

@test "a fixed number of transactions, and every one of them in the log" {
  run library "WORK=$BATS_TEST_TMPDIR LOAD_SECONDS=0.05 TRANSACTIONS_KEPT=40
    sql -c \"INSERT INTO bench.runs VALUES (1, 1, 'contention', 'c2', 'read', 'native', 2)\"
    for sample in -1 0 1 2; do load_step 1 native 2 0 \$sample 1 1 contention_read.sql; done
    sql -c 'SELECT count(*), count(DISTINCT (sample, client, number)), min(latency_us) > 0 FROM bench.transactions' \
      -c 'SELECT iterations, wall_us > 0 FROM bench.samples ORDER BY sample'"
  [ "$status" -eq 0 ]
  [ "${lines[0]}" = '80|80|t' ]
  [ "${lines[1]}" = '40|t' ]
}

@test "WordNet's pointers are read out of its files" {
  run library ". '$ROOT/bench/lib/wordnet.bash'; wordnet_pairs" <<'DATA'
  1 This software
00001740 03 n 01 entity 0 002 ~ 00001930 n 0000 ~ 02137710 v 0000 | that which exists
00001930 03 s 0b a 0 b 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0 j 0 k 0 001 @ 00001740 n 0000 | eleven words
DATA
  [ "${lines[0]}" = "$(printf 'a00001930\tn00001740')" ]
  [ "${lines[1]}" = "$(printf 'n00001740\tn00001930')" ]
  [ "${lines[2]}" = "$(printf 'n00001740\tv02137710')" ]
  [ "${#lines[@]}" -eq 3 ]
}
