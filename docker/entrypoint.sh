#!/usr/bin/env bash
# server: a PostgreSQL server with the extension in its database; needs POSTGRES_PASSWORD the first time.
# bench …: the benchmark, on a private cluster; the report goes to /results.
set -euo pipefail

bindir=/usr/lib/postgresql/15/bin

server() {
  if [ ! -s "$PGDATA/PG_VERSION" ]; then
    [ -n "${POSTGRES_PASSWORD:-}" ] || { echo "doublets: set POSTGRES_PASSWORD for the new server" >&2; exit 1; }
    password=$(mktemp)
    printf '%s\n' "$POSTGRES_PASSWORD" >"$password"
    "$bindir/initdb" -U postgres --auth-local=peer --auth-host=scram-sha-256 --pwfile="$password" -E UTF8 --locale=C.UTF-8 >&2
    rm -f "$password"
    printf "listen_addresses = '*'\n" >>"$PGDATA/postgresql.conf"
    printf 'host all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
    "$bindir/pg_ctl" -w -o "-c listen_addresses=''" start >&2
    "$bindir/psql" -Xq -U postgres -c 'CREATE EXTENSION doublets'
    "$bindir/pg_ctl" -w stop >&2
  fi
  exec "$bindir/postgres"
}

case ${1:-server} in
  server) server ;;
  bench)
    shift
    [ $# -gt 0 ] || set -- run quick
    # A file system of the container's own: the volume may be on another.
    exec /doublets/scripts/bench.sh "$@" --no-setup --output "/results/$(date -u +%Y%m%dT%H%M%SZ)"
    ;;
  *) exec "$@" ;;
esac
