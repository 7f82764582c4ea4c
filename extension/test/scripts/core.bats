#!/usr/bin/env bats
# shellcheck shell=bash
# The core's micro-benchmark, and the benchmark's use of it. Built without optimisation: its times are not looked at.

bats_require_minimum_version 1.5.0

setup_file() {
  ROOT=$(cd "$BATS_TEST_DIRNAME/../../.." && pwd)
  export ROOT
  # shellcheck disable=SC2016  # make expands it
  make -C "$ROOT/extension/test/unit" benchmark BUILD="$BATS_FILE_TMPDIR/core" FAST='$(COMMON) -O0' >"$BATS_FILE_TMPDIR/make.log" 2>&1 ||
    { tail -n 20 "$BATS_FILE_TMPDIR/make.log"; return 1; }
}

# library CODE: runs it in a strict shell with the libraries; the program is built already.
library() {
  bash -c "set -euo pipefail
    . '$ROOT/scripts/lib/common.bash'
    for part in options session core; do . \"$ROOT/bench/lib/\$part.bash\"; done
    BENCH_ROOT=$ROOT/bench WORK=$BATS_FILE_TMPDIR
    $1"
}

@test "core alone: its medians, of both layouts, are kept, beside floors and nothing else" {
  run library "options_parse run quick --workloads core
    echo \"\${WORKLOADS[*]}\"
    CORE_LINKS=1000 CORE_ROUNDS=1
    core_measure $BATS_TEST_TMPDIR/core.csv 2>/dev/null"
  [ "$status" -eq 0 ]
  [ "$output" = 'floors core' ]
  [ "$(head -n 1 "$BATS_TEST_TMPDIR/core.csv")" = operation,layout,baseline_ns,store_ns ]
  for operation in create delete; do
    [ "$(grep -cE "^$operation,(split|united),[0-9.]+,[0-9.]+\$" "$BATS_TEST_TMPDIR/core.csv")" -eq 2 ]
  done
}

@test "without core among the workloads there is the header alone" {
  library "WORKLOADS=(floors); core_measure $BATS_TEST_TMPDIR/core.csv"
  [ "$(cat "$BATS_TEST_TMPDIR/core.csv")" = operation,layout,baseline_ns,store_ns ]
}

@test "a filter of the micro-benchmark leaves out what it does not name, and links are there to be worked on" {
  run "$BATS_FILE_TMPDIR/core/core_benchmark" --benchmark_filter=delete --csv="$BATS_TEST_TMPDIR/filtered.csv" --links=1000 \
    --nodes=100 --rounds=1 --directory="$BATS_TEST_TMPDIR"
  [ "$status" -eq 0 ]
  [ "$(tail -n +2 "$BATS_TEST_TMPDIR/filtered.csv" | cut -d , -f 1 | sort -u)" = delete ]
  [ "$(grep -c '^delete,' "$BATS_TEST_TMPDIR/filtered.csv")" -eq 2 ]
}
