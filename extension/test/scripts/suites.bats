#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2016,SC2030,SC2031
# The test command counts what ran, never takes silence for success, and its checks find what they are for.

setup() {
  ROOT=$(cd "$BATS_TEST_DIRNAME/../../.." && pwd)
  # shellcheck source=/dev/null
  . "$ROOT/scripts/lib/suites.bash"
}

# test_run SUITES CODE: scripts/test.sh with the suites replaced by CODE, without any set-up.
test_run() {
  mkdir -p "$BATS_TEST_TMPDIR/scripts/lib"
  cp "$ROOT/scripts/test.sh" "$BATS_TEST_TMPDIR/scripts"
  cp "$ROOT"/scripts/lib/*.bash "$BATS_TEST_TMPDIR/scripts/lib"
  printf 'SUITES=(%s)\nsetup_all() { scratch_create; BUILD_DIR=$SCRATCH; }\n%s\n' "$1" "$2" \
    >>"$BATS_TEST_TMPDIR/scripts/lib/suites.bash"
  env -u SCRATCH -u BUILD_DIR "$BATS_TEST_TMPDIR/scripts/test.sh"
}

@test "pg_regress: ok and FAILED lines of tests and groups" {
  run count_regress <<'TEXT'
============== running regression test queries        ==============
test backend                      ... ok           82 ms
test rows                         ... FAILED      101 ms
parallel group (2 tests):  a b
     a                            ... ok           10 ms
     b                            ... FAILED (test process exited with exit code 2)       11 ms
 2 of 4 tests failed.
TEXT
  [ "$output" = "2 2" ]
}

@test "TAP: skipped tests have not passed, TODO has not failed" {
  run count_tap <<'TEXT'
1..5
ok 1 - a
ok 2 # skip no reason
not ok 3 - b
not ok 4 - c # TODO later
ok - d
    ok 1 - inner
TEXT
  [ "$output" = "2 1" ]
}

@test "GoogleTest: each test once, the summary not at all" {
  run count_unit <<'TEXT'
[ RUN      ] Tree.Insert
[       OK ] Tree.Insert (3 ms)
[  FAILED  ] Tree.Erase (1 ms)
[  PASSED  ] 1 test.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Tree.Erase
TEXT
  [ "$output" = "1 1" ]
}

@test "libFuzzer: a finished target passes, a finding fails" {
  run count_fuzz <<'TEXT'
Done 12345 runs in 21 second(s)
==77==ERROR: AddressSanitizer: heap-buffer-overflow
TEXT
  [ "$output" = "1 1" ]
}

@test "a run without failures says so and is a success" {
  run test_run 'tap' 'suite_tap() { echo "ok 1"; echo "ok 2"; }'
  [ "$status" -eq 0 ]
  [ "${lines[-1]}" = "2 passed, 0 failed" ]
}

@test "one failing suite neither hides nor stops the others" {
  run test_run 'shm tap' 'suite_shm() { echo "not ok 1"; return 1; }; suite_tap() { echo "ok 1"; }'
  [ "$status" -ne 0 ]
  [ "${lines[-1]}" = "1 passed, 1 failed" ]
}

@test "a suite that stops without a failing line has failed" {
  run test_run 'tap' 'suite_tap() { echo "ok 1"; exit 3; }'
  [ "$status" -ne 0 ]
  [ "${lines[-1]}" = "1 passed, 1 failed" ]
}

@test "a suite that runs nothing has failed" {
  run test_run 'tap' 'suite_tap() { :; }'
  [ "$status" -ne 0 ]
  [ "${lines[-1]}" = "0 passed, 1 failed" ]
}

@test "a suite whose directory is gone has failed" {
  run test_run 'fuzz' ''
  [ "$status" -ne 0 ]
  [[ $output == *"missing: extension/test/fuzz"* ]]
  [ "${lines[-1]}" = "0 passed, 1 failed" ]
}

@test "test scripts do not see the run's own scratch directory and cluster" {
  run test_run 'scripts' 'setup_all() {
    scratch_create
    BUILD_DIR=$SCRATCH/src PGHOST=here
    export BUILD_DIR PGHOST
    mkdir -p "$BUILD_DIR/extension/test/scripts"
    printf "#!/bin/sh\n[ -z \"\$SCRATCH\$BUILD_DIR\$PGHOST\" ]\n" >"$BUILD_DIR/extension/test/scripts/a.sh"
    chmod +x "$BUILD_DIR/extension/test/scripts/a.sh"
  }'
  [ "$status" -eq 0 ]
  [ "${lines[-1]}" = "1 passed, 0 failed" ]
}

@test "an unknown suite is refused" {
  run "$ROOT/scripts/test.sh" --suite nonsense
  [ "$status" -eq 1 ]
  [[ $output == *"no suite 'nonsense'"* ]]
}

# lint_with FILE TEXT: the lint of a small tree with one planted file.
lint_with() {
  mkdir -p "$BATS_TEST_TMPDIR/scripts" "$BATS_TEST_TMPDIR/extension/core" "$(dirname "$BATS_TEST_TMPDIR/$1")"
  cp "$ROOT/scripts/lint.sh" "$BATS_TEST_TMPDIR/scripts"
  printf '# shellcheck shell=bash\nnothing() {\n  :\n}\n' >"$BATS_TEST_TMPDIR/scripts/lib.bash"
  printf '%b' "$2" >"$BATS_TEST_TMPDIR/$1"
  "$BATS_TEST_TMPDIR/scripts/lint.sh"
}

@test "lint: a clean tree passes" {
  run lint_with extension/core/a.hpp '#include <cstdint>\n'
  [ "$status" -eq 0 ]
  [[ $output != *"not ok"* ]]
}

@test "lint: a PostgreSQL header in core is found" {
  local header
  for header in '"postgres.h"' '<postgres.h>' '"utils/rel.h"' '"storage/lwlock.h"' '"fmgr.h"'; do
    run lint_with extension/core/a.hpp "#include $header\n"
    [ "$status" -eq 1 ]
    [[ $output == *"not ok - core includes no PostgreSQL header"* ]]
  done
}

@test "lint: core that includes the adapter is found" {
  run lint_with extension/core/a.cpp '#include "../pg/pg.hpp"\n'
  [[ $output == *"not ok - core does not include the adapter"* ]]
}

@test "lint: a faulty script is found" {
  run lint_with scripts/bad.sh '#!/usr/bin/env bash\nset -euo pipefail\nrm $1\n'
  [[ $output == *"not ok - shellcheck has nothing to say about programs"* ]]
  run lint_with scripts/bad.sh '#!/usr/bin/env bash\necho x\n'
  [[ $output == *"not ok - every script starts with set -euo pipefail"* ]]
}

@test "lint: a file of 601 lines is found" {
  run lint_with extension/core/long.cpp "$(printf '//\\n%.0s' {1..601})"
  [[ $output == *"not ok - no source file has more than 600 lines"* ]]
}
