#!/usr/bin/env bash
# Sets up a fresh Debian 12 and runs every test of the project. The last line is "N passed, N failed"; the status is 0
# only when nothing failed. Needs root or sudo when packages are missing. See --help.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
for part in common setup cluster clients suites; do
  # shellcheck source=/dev/null
  . "$here/lib/$part.bash"
done

usage() {
  cat <<TEXT
usage: scripts/test.sh [--suite NAME]… [--long]
  --suite NAME  only this suite (may be given again): ${SUITES[*]}
  --long        longer fuzzing and more random rounds
  --keep        keep the scratch directory (build, cluster, logs)
TEXT
}

cleanup() {
  cluster_stop
  scratch_remove
}

# run_suite NAME: runs it apart from the others, shows what failed, adds to the totals.
run_suite() {
  local name=$1 logfile=$SCRATCH/$1.log status=0 passed failed start=$SECONDS
  case $name in
    regress | isolation | differential | pgtap) need_cluster ;;
  esac
  # The suite's own failures are its status, so errexit must not end it early.
  (set +e; "suite_$name") >"$logfile" 2>&1 </dev/null || status=$?
  read -r passed failed < <("count_$name" <"$logfile")
  if [[ $status -ne 0 && $failed -eq 0 ]]; then
    failed=1
  fi
  # A suite that ran nothing proves nothing.
  if [[ $passed -eq 0 && $failed -eq 0 ]]; then
    failed=1
  fi
  if [[ $failed -gt 0 ]]; then
    show_failures "$logfile"
  fi
  grep -h '# SKIP' "$logfile" >&2 || true
  printf '%-12s %4d passed, %d failed  (%d s)\n' "$name" "$passed" "$failed" $((SECONDS - start))
  total_passed=$((total_passed + passed))
  total_failed=$((total_failed + failed))
}

# show_failures LOG: the end of it, or the failing lines with their diagnostics.
show_failures() {
  if grep -qE '^(not ok|\[  FAILED  \]|(test| ) .*\.\.\. (FAILED|failed))' "$1"; then
    grep -nE -A12 '^(not ok|#   Failed|\[  FAILED  \]|(test| ) .*\.\.\. (FAILED|failed)|[-+] )' "$1" | head -n 150 >&2
  else
    tail -n 60 "$1" >&2
  fi
}

main() {
  local chosen=() name
  LONG=0
  while [[ $# -gt 0 ]]; do
    case $1 in
      --suite)
        [[ " ${SUITES[*]} " == *" ${2:-} "* ]] || die "no suite '${2:-}' (${SUITES[*]})"
        chosen+=("$2")
        shift
        ;;
      --long) LONG=1 ;;
      --keep) KEEP_SCRATCH=1 ;;
      -h | --help) usage; return 0 ;;
      *) usage >&2; die "unknown argument '$1'" ;;
    esac
    shift
  done
  [[ ${#chosen[@]} -gt 0 ]] || chosen=("${SUITES[@]}")
  export LONG KEEP_SCRATCH=${KEEP_SCRATCH:-0}
  total_passed=0 total_failed=0
  trap cleanup EXIT
  trap 'exit 130' INT TERM
  setup_all test
  for name in "${chosen[@]}"; do
    log "running $name"
    run_suite "$name"
  done
  cleanup
  printf '%d passed, %d failed\n' "$total_passed" "$total_failed"
  [[ $total_failed -eq 0 ]]
}

main "$@"
