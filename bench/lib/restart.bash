# shellcheck shell=bash
# How long it takes until a backend is of use again after the server was restarted. Requires generic.bash and a private cluster.

# restart_step RUN BACKEND SCALE SAMPLE: a sample begins when the server is started, after an orderly stop, and ends when the backend
# holds all links of the dataset and has counted them. A volatile store is empty then and is filled from a file in the data
# directory; a table has kept its links.
restart_step() {
  local run=$1 backend=$2 scale=$3 sample=$4 name began ended commands=()
  case $sample in
    -1)
      graph_ready scale "$backend" "$scale"
      if [[ ${GRAPH_INPUT:-} != "$scale" ]]; then
        sql -c "CALL bench.graph_input($scale)"
        GRAPH_INPUT=$scale
      fi
      sql -c "COPY bench.edges TO PROGRAM 'cat >doublets_bench_restart.copy'"
      return
      ;;
    0)
      sql -c "UPDATE bench.runs SET probe_before_us = bench.probe() WHERE run = $run"
      return
      ;;
  esac
  if [[ $(backend_kind "$backend") == doublets ]]; then
    commands=(-c "COPY links (source, target) FROM 'doublets_bench_restart.copy'")
  fi
  restart_server stop -m fast -w -t 60
  began=${EPOCHREALTIME/[.,]/}
  restart_server start -W -l "$CLUSTER_DIR/server.log"
  restart_wait
  session "$backend" "${commands[@]}" -c 'SELECT count(*) FROM links' >/dev/null
  ended=${EPOCHREALTIME/[.,]/}
  session "$backend" -c 'CALL bench.check_load()'
  sql -c "INSERT INTO bench.samples SELECT workload, mode, operation, backend, repetition, $sample, 1, $((ended - began))
    FROM bench.runs WHERE run = $run"
  # Every other store is empty now, and this one will be.
  for name in "${BACKENDS[@]}"; do
    # shellcheck disable=SC2004  # the keys are names
    [[ $(backend_kind "$name") != doublets ]] || GRAPH_HELD[$name]=''
  done
  if run_ends "$run"; then
    sql -c "UPDATE bench.runs SET probe_after_us = bench.probe() WHERE run = $run"
  fi
}

# restart_server ACTION OPTION…: pg_ctl for the private cluster.
restart_server() {
  run_as "$("$PG_CONFIG" --bindir)/pg_ctl" -D "$CLUSTER_DIR/data" "$@" >/dev/null 2>&1 ||
    { tail -n 20 "$CLUSTER_DIR/server.log" >&2; die "restart: pg_ctl $1 failed"; }
}

# restart_wait: until the server answers. pg_ctl itself looks only ten times a second.
restart_wait() {
  local deadline=$((SECONDS + 60))
  until sql -c 'SELECT 1' >/dev/null 2>&1; do
    ((SECONDS < deadline)) || die "restart: the server does not answer"
    sleep 0.002
  done
}
