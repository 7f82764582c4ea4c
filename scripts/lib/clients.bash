# shellcheck shell=bash
# The suite `clients`: extension/test/clients/run.sh for each client that is here or can be installed; what cannot is a
# skipped test, which counts neither way. Requires common.bash, setup.bash, cluster.bash.

CLIENTS=(psql libpq psycopg odbc node jdbc)

# clients_packages CLIENT: the Debian packages it needs beyond those of every test run.
clients_packages() {
  case $1 in
    psql | libpq) ;;
    psycopg) printf '%s\n' python3 python3-psycopg2 ;;
    odbc) printf '%s\n' unixodbc-dev odbc-postgresql ;;
    # A node or Java that is there already may not be Debian's, whose packages would then not go with it.
    node) have node || printf '%s\n' nodejs ;;
    jdbc)
      have java || printf '%s\n' default-jre-headless
      printf '%s\n' bsh libpostgresql-jdbc-java
      ;;
  esac
}

# clients_node_pg: prints the directory where node finds `pg`: Debian's, or one that npm fills.
clients_node_pg() {
  local own=$SCRATCH/npm
  if [[ -d /usr/share/nodejs/pg ]] || setup_install_quietly node-pg; then
    printf '/usr/share/nodejs\n'
  elif have npm && timeout 120 npm install --no-audit --no-fund --ignore-scripts --prefix "$own" pg@8 >&2; then
    chmod -R a+rX "$own"
    printf '%s\n' "$own/node_modules"
  else
    return 1
  fi
}

# clients_install CLIENT: makes it usable; false, with nothing installed, if that is not possible here.
clients_install() {
  local package missing=()
  while read -r package; do
    [[ -z $package ]] || setup_installed "$package" >/dev/null || missing+=("$package")
  done < <(clients_packages "$1")
  if [[ ${#missing[@]} -gt 0 ]]; then
    if ! setup_candidate "${missing[0]}" >/dev/null; then
      setup_apt update || true
    fi
    setup_install_quietly "${missing[@]}" || return 1
  fi
  if [[ $1 == node ]]; then
    NODE_PATH=$(clients_node_pg) || return 1
    export NODE_PATH
  fi
}

# clients_cluster: a cluster with an unused TCP port of this machine, where JDBC finds it: CLIENTS_ADDRESS.
clients_cluster() {
  local port
  unset CLUSTER_DIR
  CLIENTS_ADDRESS=127.0.0.1
  port=$((20000 + RANDOM % 10000))
  while (: <"/dev/tcp/$CLIENTS_ADDRESS/$port") 2>/dev/null; do
    port=$((port + 1))
  done
  cluster_start "$SCRATCH/clients" fsync=off listen_addresses="$CLIENTS_ADDRESS" port="$port"
  export PGPORT=$port
  run_as psql -XAtq -v ON_ERROR_STOP=1 -c 'CREATE DATABASE clients' || return 1
  export PGDATABASE=clients
  run_as psql -XAtq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION doublets'
}

# clients_run CLIENT
clients_run() {
  if ! clients_install "$1"; then
    printf 'ok - %s # SKIP it cannot be installed here\n' "$1"
    return 0
  fi
  if [[ $1 == jdbc ]]; then
    PGHOSTADDR=$CLIENTS_ADDRESS in_build timeout 120 bash extension/test/clients/run.sh "$1" 2>&1
  else
    in_build timeout 120 bash extension/test/clients/run.sh "$1" 2>&1
  fi
}
