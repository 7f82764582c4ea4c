# shellcheck shell=bash
# The micro-benchmark of the core, which needs no server: built from extension/test/unit and run once.

# core_measure FILE: its medians go to FILE as `operation,layout,baseline_ns,store_ns`; only the header when `core` is not
# among the workloads.
core_measure() {
  printf 'operation,layout,baseline_ns,store_ns\n' >"$1"
  [[ " ${WORKLOADS[*]} " == *" core "* ]] || return 0
  local build=$WORK/core directory=$WORK/core
  log "core micro-benchmark: $CORE_LINKS links, $CORE_ROUNDS rounds"
  mkdir -p "$build"
  make -C "$DOUBLETS_ROOT/extension/test/unit" benchmark BUILD="$build" >"$build/make.log" 2>&1 ||
    { tail -n 20 "$build/make.log" >&2; die "the core micro-benchmark does not build"; }
  [[ ${CLUSTER_DSM_TYPE:-mmap} == mmap ]] || directory=/dev/shm
  "$build/core_benchmark" --csv="$build/core.csv" --links="$CORE_LINKS" --nodes=$((CORE_LINKS / 10)) \
    --rounds="$CORE_ROUNDS" --directory="$directory" >"$build/core.log" 2>&1 ||
    { tail -n 20 "$build/core.log" >&2; die "the core micro-benchmark failed"; }
  [[ $(head -n 1 "$build/core.csv") == operation,layout,baseline_ns,store_ns* && $(wc -l <"$build/core.csv") -gt 1 ]] ||
    die "the core micro-benchmark wrote no results"
  tail -n +2 "$build/core.csv" | cut -d , -f 1-4 >>"$1"
}
