# shellcheck shell=bash
# Measuring on a server that is there already, named by PG* variables: in one database of its own, which must not exist or be
# empty, and which is left as it was found. Requires session.bash.

# server_open: sets PGDATABASE to that database; dies when it holds anything. SERVER_MADE says that it was made here.
server_open() {
  local name=${PGDATABASE:-doublets_bench} found
  PGDATABASE=postgres sql -c 'SELECT 1' >/dev/null || die "--server: no server answers to the PG* variables"
  found=$(PGDATABASE=postgres sql -v name="$name" <<<"SELECT count(*) FROM pg_database WHERE datname = :'name';")
  export PGDATABASE=$name
  if [[ $found == 0 ]]; then
    PGDATABASE=postgres sql -v name="$name" <<<'CREATE DATABASE :"name";'
    SERVER_MADE=1
  else
    found=$(sql <<'SQL'
SELECT string_agg(what, ', ' ORDER BY what) FROM (
  SELECT 'relation ' || oid::regclass FROM pg_class WHERE oid >= 16384
  UNION ALL SELECT 'function ' || oid::regprocedure FROM pg_proc WHERE oid >= 16384
  UNION ALL SELECT 'schema ' || nspname FROM pg_namespace WHERE oid >= 16384 AND nspname !~ '^pg_'
  UNION ALL SELECT 'extension ' || extname FROM pg_extension WHERE extname <> 'plpgsql'
  LIMIT 5
) AS f (what);
SQL
    )
    [[ -z $found ]] || die "--server: database $name is not empty ($found); name another one with PGDATABASE"
    SERVER_EMPTIED=1
  fi
  sql -c "SELECT 1 FROM pg_roles WHERE rolname = current_user AND rolsuper" | grep -q 1 ||
    die "--server: measuring needs a superuser (CHECKPOINT, COPY FROM PROGRAM, CREATE EXTENSION)"
}

# server_close: ends the sessions that may still run, and takes away what was made. Safe to call twice.
server_close() {
  local schema name=${PGDATABASE:-}
  if [[ -n ${SERVER_MADE:-} ]]; then
    PGDATABASE=postgres sql -v name="$name" <<<'DROP DATABASE :"name" WITH (FORCE);' >/dev/null 2>&1 || true
  elif [[ -n ${SERVER_EMPTIED:-} ]]; then
    sql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()" >/dev/null 2>&1 || true
    for schema in bench report $(bench_backends); do
      sql -c "DROP SCHEMA IF EXISTS $schema CASCADE" >/dev/null 2>&1 || true
    done
    sql -c 'DROP EXTENSION IF EXISTS doublets CASCADE' >/dev/null 2>&1 || true
  fi
  unset SERVER_MADE SERVER_EMPTIED
}
