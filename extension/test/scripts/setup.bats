#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2016  # the fakes' texts are expanded when they run
# The set-up library: what it refuses, what it leaves alone, and that it needs no network when nothing is missing.
# Fake apt and dpkg tools stand first in PATH; each records its calls in $CALLS.

setup() {
  ROOT=$(cd "$BATS_TEST_DIRNAME/../../.." && pwd)
  # `run` changes shell options, and the library wants strict ones: each test runs it in a shell of its own.
  TOOLS=$BATS_TEST_TMPDIR/tools CALLS=$BATS_TEST_TMPDIR/calls
  mkdir -p "$TOOLS"
  : >"$CALLS"
  export TOOLS CALLS ROOT
}

# fake NAME BODY: a command that records its arguments, then runs BODY.
fake() {
  printf '#!/bin/sh\necho "%s $*" >>"%s"\n%s\n' "$1" "$CALLS" "$2" >"$TOOLS/$1"
  chmod +x "$TOOLS/$1"
}

# library CODE: runs it in a strict shell with the library, the fakes first in PATH.
library() {
  env -u SCRATCH -u BUILD_DIR PATH="$TOOLS:$PATH" bash -c "set -euo pipefail
    . \"\$ROOT/scripts/lib/common.bash\"; . \"\$ROOT/scripts/lib/setup.bash\"; . \"\$ROOT/scripts/lib/cluster.bash\"
    $1"
}

@test "a release without PostgreSQL 15 gets a clear message before anything is installed" {
  fake dpkg-query 'exit 1'
  fake apt-get 'exit 0'
  fake apt-cache 'case "$1" in policy) printf "%s:\n  Candidate: (none)\n" "$2" ;; pkgnames) echo postgresql-17 ;; esac'
  run library 'setup_install test'
  [ "$status" -eq 1 ]
  [[ $output == *"offers no package postgresql-15 (it has: postgresql-17)"* ]]
  [[ $output == *"Nothing was installed."* ]]
  [ "$(grep -c '^apt-get .*install' "$CALLS")" -eq 0 ]
}

@test "a package that is not on offer is named before anything is installed" {
  fake dpkg-query 'exit 1'
  fake apt-get 'exit 0'
  fake apt-cache 'if [ "$2" = bats ]; then echo "  Candidate: (none)"; else echo "  Candidate: 1.0"; fi'
  run library 'setup_install test'
  [ "$status" -eq 1 ]
  [[ $output == *"offers no package bats. Nothing was installed."* ]]
  [ "$(grep -c '^apt-get .*install' "$CALLS")" -eq 0 ]
}

@test "a system without apt-get gets a clear message" {
  fake dpkg-query 'exit 1'
  run env PATH="$TOOLS" /bin/bash -c "$(declare -f) ; set -eu
    dirname() { /usr/bin/dirname \"\$@\"; }; . $ROOT/scripts/lib/common.bash; . $ROOT/scripts/lib/setup.bash
    setup_check_release postgresql-15"
  [ "$status" -eq 1 ]
  [[ $output == *"no apt-get; the set-up supports Debian 12"* ]]
}

@test "nothing is fetched when nothing is missing" {
  fake dpkg-query 'echo "installed 15.1"'
  fake apt-get 'exit 1'
  fake apt-cache 'exit 1'
  run library 'setup_install test && setup_install bench'
  [ "$status" -eq 0 ]
  [ "$(grep -c '^apt-' "$CALLS")" -eq 0 ]
}

@test "only what is missing is installed, without asking and without a cluster" {
  fake dpkg-query 'case "$*" in *bats*) exit 1 ;; *) echo "installed 15.1" ;; esac'
  fake apt-get 'env | grep -q "^DEBIAN_FRONTEND=noninteractive$" || exit 3'
  fake apt-cache 'echo "  Candidate: 15.1"'
  fake tee 'cat >/dev/null'
  fake chmod 'exit 0'
  fake rm 'exit 0'
  fake sudo 'shift; exec "$@"'
  run library 'setup_install test'
  [ "$status" -eq 0 ]
  grep -q '^apt-get .* -y .*install --no-install-recommends bats$' "$CALLS"
}

@test "headers follow the server that is installed" {
  fake dpkg-query 'case "$*" in *postgresql-15) echo "installed 15.3" ;; *) exit 1 ;; esac'
  fake apt-cache 'case "$1" in policy) echo "  Candidate: 15.9" ;; madison) echo "x | 15.9 | y"; echo "x | 15.3 | y" ;; esac'
  run library 'setup_pin_minor postgresql-server-dev-15 make'
  [ "$status" -eq 0 ]
  [ "${lines[0]}" = postgresql-server-dev-15=15.3 ]
  [ "${lines[1]}" = make ]
}

@test "headers of another minor version than the server are refused" {
  fake dpkg-query 'case "$*" in *postgresql-15) echo "installed 15.3" ;; *) echo "installed 15.9" ;; esac'
  run library 'setup_check_minor'
  [ "$status" -eq 1 ]
  [[ $output == *"15.3 but postgresql-server-dev-15 is 15.9"* ]]
}

@test "the copy leaves build products and the checkout alone" {
  mkdir -p "$BATS_TEST_TMPDIR/checkout/scripts/lib" "$BATS_TEST_TMPDIR/checkout/.git"
  cp "$ROOT"/scripts/lib/*.bash "$BATS_TEST_TMPDIR/checkout/scripts/lib"
  touch "$BATS_TEST_TMPDIR"/checkout/{Makefile,old.o,old.so,.git/config}
  chmod -R go-rwx "$BATS_TEST_TMPDIR/checkout"
  find "$BATS_TEST_TMPDIR/checkout" | sort >"$BATS_TEST_TMPDIR/before"
  ROOT=$BATS_TEST_TMPDIR/checkout run library 'scratch_create; trap scratch_remove EXIT; setup_copy; ls -A "$BUILD_DIR"
    run_as cat "$BUILD_DIR/Makefile" && run_as touch "$BUILD_DIR/new" && echo usable'
  [ "$status" -eq 0 ]
  [ "${lines[0]}" = Makefile ]
  [ "${lines[1]}" = scripts ]
  [ "${lines[2]}" = usable ]
  find "$BATS_TEST_TMPDIR/checkout" | sort | cmp - "$BATS_TEST_TMPDIR/before"
}

@test "the scratch directory is gone afterwards" {
  run library 'scratch_create; echo "$SCRATCH"; scratch_remove; scratch_remove'
  [ "$status" -eq 0 ]
  [ -n "${lines[0]}" ]
  [ ! -e "${lines[0]}" ]
}

@test "a small /dev/shm is noticed, used differently, and said" {
  fake df 'printf "Avail\n65536\n"'
  run library 'scratch_create; trap "cluster_stop; scratch_remove" EXIT
    cluster_start "$SCRATCH/pg" fsync=off; echo "type $CLUSTER_DSM_TYPE"; psql -XAtqc "SHOW dynamic_shared_memory_type"'
  [ "$status" -eq 0 ]
  [[ $output == *"/dev/shm has less than 1024 MB free: using dynamic_shared_memory_type=mmap"* ]]
  [[ $output == *"type mmap"* ]]
  [ "${lines[-1]}" = mmap ]
}

@test "a cluster is private, takes its settings, and stops without a trace" {
  fake df 'printf "Avail\n4194304\n"'
  run library 'scratch_create; trap "cluster_stop; scratch_remove" EXIT
    PGHOSTADDR=203.0.113.1 PGOPTIONS="-c no_such_setting=1"; export PGHOSTADDR PGOPTIONS
    cluster_start "$SCRATCH/pg" fsync=off work_mem=7MB
    psql -XAtqc "SHOW work_mem; SHOW listen_addresses; SHOW dynamic_shared_memory_type"
    stat -c %a "$SCRATCH/pg"
    cluster_stop; cluster_stop; psql -XAtqc "SELECT 1" 2>/dev/null || echo stopped; ls "$SCRATCH/pg/socket"'
  [ "$status" -eq 0 ]
  [ "${lines[0]}" = 7MB ]
  [ "${lines[1]}" = posix ]
  [ "${lines[2]}" = 700 ]
  [ "${lines[3]}" = stopped ]
  [ "${#lines[@]}" -eq 4 ]
}
