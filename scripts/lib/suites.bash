# shellcheck shell=bash
# The suites of scripts/test.sh. Each suite_NAME runs in BUILD_DIR (a built copy of the checkout, see setup.bash), writes
# everything to stdout and returns the status of what it ran; count_NAME reads that output and prints "PASSED FAILED".
# Requires common.bash, setup.bash, cluster.bash, clients.bash. LONG=1 asks for the long versions.

SUITES=(lint unit fuzz regress isolation differential pgtap clients tap shm scripts)

# pgxs_test_dir: where the server's packages keep pg_regress, isolationtester and the Perl modules.
pgxs_test_dir() {
  local pgxs
  pgxs=$("$PG_CONFIG" --pgxs)
  printf '%s\n' "${pgxs%/makefiles/pgxs.mk}/test"
}

# need_dir DIR: a suite whose files are gone has not passed.
need_dir() {
  [[ -d $BUILD_DIR/$1 ]] || { printf 'missing: %s\n' "$1"; return 1; }
}

# need_cluster: starts the cluster that regress, isolation, differential and pgtap share, unless it runs already.
need_cluster() {
  [[ -z ${CLUSTER_DIR:-} ]] || return 0
  cluster_start "$SCRATCH/cluster" fsync=off shared_buffers=128MB max_connections=50 max_prepared_transactions=5
}

# in_build COMMAND…: as the server user, in the build copy.
in_build() {
  RUN_AS_DIR=$BUILD_DIR run_as "$@"
}

suite_lint() {
  (cd "$BUILD_DIR" && scripts/lint.sh)
}

suite_unit() {
  need_dir extension/test/unit || return 1
  in_build make -j"$(nproc)" -C extension/test/unit check
}

suite_fuzz() {
  need_dir extension/test/fuzz || return 1
  in_build make -j"$(nproc)" -C extension/test/fuzz smoke || return 1
  [[ ${LONG:-0} == 0 ]] || in_build make -C extension/test/fuzz fuzz SECONDS=600
}

# each_backend TARGET: makes TARGET-native, -split and -united, all of them whatever the first ones give.
each_backend() {
  local target=$1 backend status=0
  for backend in native split united; do
    printf '== %s\n' "$target-$backend"
    in_build make --no-print-directory "$target-$backend" PG_CONFIG="$PG_CONFIG" 2>&1 || {
      status=1
      in_build sh -c "head -n 200 results/$target-$backend/regression.diffs 2>/dev/null" || true
    }
  done
  return $status
}

suite_regress() {
  need_dir sql || return 1
  each_backend regress
}

suite_isolation() {
  need_dir extension/test/isolation/specs || return 1
  each_backend isolation
}

# differential NAME OPTION…: runs the program in a database of that name.
differential() {
  local database=doublets_differential_$1
  shift
  run_as psql -XAtq -v ON_ERROR_STOP=1 -c "CREATE DATABASE $database" || return 1
  PGDATABASE=$database run_as "$SCRATCH/differential/differential" "$@"
}

# On both layouts, after a proof that faults are found: random schedules beside a table, transactions under SERIALIZABLE
# beside all orders of them, many sessions at once. What counts is the number of schedules.
suite_differential() {
  need_dir extension/test/differential || return 1
  local statements=25000 serial=300 seconds=20 status=0 other file replays=()
  [[ ${LONG:-0} == 0 ]] || statements=500000 serial=10000 seconds=600
  in_build make -s -j"$(nproc)" -C extension/test/differential BUILD="$SCRATCH/differential" PG_CONFIG="$PG_CONFIG" || return 1
  differential self_test --self-test || status=1
  for file in "$BUILD_DIR"/extension/test/differential/schedules/*.txt; do
    replays+=(--replay "$file")
  done
  differential replay "${replays[@]}" || status=1
  # Two at a time, for each waits for its server most of the time. A safe snapshot would wait for transactions of the other
  # one, which must not do the same.
  differential second --seed 1000001 --statements "$statements" --without deferrable >"$SCRATCH/differential/second.log" &
  other=$!
  differential first --statements "$statements" || status=1
  wait "$other" || status=1
  cat "$SCRATCH/differential/second.log"
  differential serial --serial "$serial" || status=1
  differential stress --stress "$seconds" || status=1
  return $status
}

suite_pgtap() {
  need_dir extension/test/pgtap || return 1
  run_as psql -XAtq -v ON_ERROR_STOP=1 -c 'CREATE DATABASE doublets_pgtap'
  run_as psql -XAtq -v ON_ERROR_STOP=1 -d doublets_pgtap -c 'CREATE EXTENSION pgtap' -c 'CREATE EXTENSION doublets'
  in_build sh -c 'exec pg_prove -v -d doublets_pgtap extension/test/pgtap/*.sql' 2>&1
}

# On a cluster of their own, for not all of them speak through a Unix socket.
suite_clients() {
  need_dir extension/test/clients || return 1
  local client status=0
  clients_cluster || return 1
  for client in "${CLIENTS[@]}"; do
    printf '== %s\n' "$client"
    clients_run "$client" || status=1
  done
  cluster_stop
  return $status
}

# tap_command DIR: the environment and arguments under which `prove` runs the Perl tests of DIR.
tap_command() {
  local tests
  tests=$(pgxs_test_dir)
  printf '%s\0' env "PERL5LIB=$tests/perl" "PG_REGRESS=$tests/regress/pg_regress" \
    "PATH=$("$PG_CONFIG" --bindir):$PATH" "TESTDIR=$SCRATCH/tap" "DOUBLETS_TEST_LONG=${LONG:-0}" \
    prove -v --timer --ext .pl "$1"
}

suite_tap() {
  need_dir extension/test/tap || return 1
  local command=()
  run_as mkdir -p "$SCRATCH/tap"
  mapfile -d '' command < <(tap_command extension/test/tap/)
  in_build "${command[@]}" 2>&1
}

# The tests that fill /dev/shm see one of their own: a small tmpfs in a private mount namespace.
suite_shm() {
  need_dir extension/test/tap/shm || return 1
  local command=() enter=(unshare --mount --)
  run_as mkdir -p "$SCRATCH/tap"
  mapfile -d '' command < <(tap_command extension/test/tap/shm/)
  if ! as_root "${enter[@]}" mount -t tmpfs -o size=48m tmpfs /dev/shm; then
    printf 'no private mount namespace can be made here: run as root outside a restricted container\n'
    return 1
  fi
  # shellcheck disable=SC2016  # expanded by the inner shell
  as_root "${enter[@]}" sh -c 'mount -t tmpfs -o size=48m,mode=1777 tmpfs /dev/shm && cd "$1" && user=$2 && shift 2 &&
    exec setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups "$@"' \
    sh "$BUILD_DIR" "$(server_user)" "${command[@]}" 2>&1
}

suite_scripts() {
  need_dir extension/test/scripts || return 1
  local file status=0
  cd "$BUILD_DIR" || return 1
  # They make scratch directories and clusters of their own, and must not take this run's for theirs.
  unset SCRATCH BUILD_DIR CLUSTER_DIR KEEP_SCRATCH PGHOST PGPORT PGUSER PGDATABASE
  for file in extension/test/scripts/*.sh extension/test/scripts/*.bats; do
    [[ -x $file ]] || continue
    printf '== %s\n' "$file"
    case $file in
      *.bats) bats --tap "$file" || status=1 ;;
      *) if "$file"; then printf 'ok - %s\n' "$file"; else printf 'not ok - %s\n' "$file"; status=1; fi ;;
    esac
  done
  return $status
}

# Counters: the suite's output on stdin, "PASSED FAILED" on stdout.
count_tap() {
  awk '/^ok / && !/# (SKIP|skip)/ {p++} /^not ok / && !/# TODO/ {f++} END {print p + 0, f + 0}'
}
count_lint() { count_tap; }
count_clients() { count_tap; }
count_pgtap() { count_tap; }

count_shm() { count_tap; }
count_scripts() { count_tap; }

count_unit() {
  awk '/^\[       OK \] / {p++} /^\[  FAILED  \] .*\([0-9]+ ms\)$/ {f++} END {print p + 0, f + 0}'
}

# A fuzz target that ran its time prints one libFuzzer line "Done N runs in M second(s)".
count_fuzz() {
  awk '/^Done [0-9]+ runs in / {p++} /^(SUMMARY: |==[0-9]+==ERROR)/ {f++} END {print p + 0, f + 0}'
}

count_regress() {
  awk '/^(test| ) .*\.\.\. ok / {p++} /^(test| ) .*\.\.\. (FAILED|failed)/ {f++} END {print p + 0, f + 0}'
}
count_isolation() { count_regress; }

count_differential() {
  awk '/^ok - [0-9]+ statements in [0-9]+ schedules / {p += $6; next} /^ok / {p++} /^not ok / {f++} END {print p + 0, f + 0}'
}
