# shellcheck shell=bash
# What the stores hold in memory, above the size from which the share of it that is in use is judged. Nothing is timed.
# Requires session.bash and measure.bash.

# memory_measure: sizes of each store after each step, as datasets `memory N: STEP`; nothing unless `memory` is among the
# workloads.
memory_measure() {
  local backend step n
  [[ " ${WORKLOADS[*]} " == *" memory "* ]] || return 0
  for backend in $(bench_backends doublets); do
    [[ " ${BACKENDS[*]} " == *" $backend "* ]] || continue
    n=0
    for step in loaded 'half deleted in ten transactions' 'filled again' 'half deleted in one' 'filled again'; do
      n=$((n + 1))
      log "memory: $backend, $MEMORY_LINKS links, $step"
      session "$backend" -c "CALL bench.memory_step('$step', $((MEMORY_LINKS / 1000)))"
      tidy "$backend"
      size_record "memory $n: $step" "$backend"
    done
    session "$backend" -c 'TRUNCATE links'
  done
}
