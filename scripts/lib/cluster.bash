# shellcheck shell=bash
# A private throw-away PostgreSQL cluster: own data directory, own socket directory, no TCP, superuser `postgres`
# without a password (only the server user and root can reach the socket). Requires common.bash.

# Below this much free /dev/shm (kB) stores live in mapped files instead: containers give 64 MB by default.
CLUSTER_SHM_MIN_KB=${CLUSTER_SHM_MIN_KB:-1048576}

# cluster_dsm_type: `posix`, or `mmap` when /dev/shm is absent or too small.
cluster_dsm_type() {
  local free
  free=$(df -k --output=avail /dev/shm 2>/dev/null | awk 'NR == 2 {print $1}')
  if [[ -n $free && $free -ge $CLUSTER_SHM_MIN_KB ]]; then
    printf 'posix\n'
  else
    printf 'mmap\n'
  fi
}

# cluster_start DIR [key=value…]: initdb in DIR (made if absent) and start, with the settings appended to
# postgresql.conf. Exports PGHOST, PGPORT, PGUSER, PGDATABASE and CLUSTER_DSM_TYPE; sets CLUSTER_DIR. One at a time.
cluster_start() {
  local dir=$1 setting bindir
  shift
  [[ -z ${CLUSTER_DIR:-} ]] || die "cluster_start: $CLUSTER_DIR is still running"
  bindir=$("$PG_CONFIG" --bindir)
  CLUSTER_DSM_TYPE=$(cluster_dsm_type)
  export CLUSTER_DSM_TYPE
  if [[ $CLUSTER_DSM_TYPE == mmap ]]; then
    log "/dev/shm has less than $((CLUSTER_SHM_MIN_KB / 1024)) MB free: using dynamic_shared_memory_type=mmap"
  fi
  mkdir -p "$dir"
  if is_root; then
    chown postgres: "$dir"
  fi
  chmod 700 "$dir"
  # The socket's whole path must stay below 108 bytes.
  CLUSTER_SOCKET_DIR=$dir/socket
  if [[ ${#CLUSTER_SOCKET_DIR} -gt 80 ]]; then
    CLUSTER_SOCKET_DIR=$(run_as mktemp -d /tmp/doublets-XXXXXX)
  else
    run_as mkdir -p "$CLUSTER_SOCKET_DIR"
  fi
  run_as "$bindir/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$dir/initdb.log" 2>&1 ||
    { cat "$dir/initdb.log" >&2; die "initdb failed"; }
  {
    printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$CLUSTER_SOCKET_DIR'" "port = 5432" \
      "dynamic_shared_memory_type = $CLUSTER_DSM_TYPE"
    for setting in "$@"; do
      printf "%s = '%s'\n" "${setting%%=*}" "${setting#*=}"
    done
  } | run_as tee -a "$dir/data/postgresql.conf" >/dev/null
  CLUSTER_DIR=$dir
  # Another server's addresses in the environment must not reach the private one's clients.
  unset PGHOSTADDR PGSERVICE PGPASSWORD PGOPTIONS
  export PGHOST=$CLUSTER_SOCKET_DIR PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
  run_as "$bindir/pg_ctl" -D "$dir/data" -l "$dir/server.log" -w -t 60 start >/dev/null 2>&1 ||
    { tail -n 20 "$dir/server.log" >&2; die "the private cluster does not start"; }
}

# cluster_stop: stops the server, if there is one. Safe in a trap and to call twice. The data directory stays (it lies
# in the caller's scratch directory).
cluster_stop() {
  [[ -n ${CLUSTER_DIR:-} ]] || return 0
  local bindir
  bindir=$("$PG_CONFIG" --bindir)
  run_as "$bindir/pg_ctl" -D "$CLUSTER_DIR/data" -m fast -w -t 60 stop >/dev/null 2>&1 ||
    run_as "$bindir/pg_ctl" -D "$CLUSTER_DIR/data" -m immediate -w stop >/dev/null 2>&1 || true
  if [[ $CLUSTER_SOCKET_DIR != "$CLUSTER_DIR"/* ]]; then
    rm -rf -- "$CLUSTER_SOCKET_DIR"
  fi
  unset CLUSTER_DIR
}
