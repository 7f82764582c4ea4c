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
    for part in session statements generate measure generic clients; do . \"$ROOT/bench/lib/\$part.bash\"; done
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
    load_run 1 native 2 0 1 1 contention_read.sql
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
