#!/usr/bin/env bash
# psql: variables, \gset, \gdesc, \copy, \d, ON_ERROR_STOP and the exit status.
set -euo pipefail

# check NAME GOT WANTED
check() {
  if [[ $2 == "$3" ]]; then
    printf 'ok - psql, %s: %s\n' "$LAYOUT" "$1"
  else
    printf 'not ok - psql, %s: %s\n# got %q instead of %q\n' "$LAYOUT" "$1" "$2" "$3"
  fi
}

sql() {
  psql -XAtq -v ON_ERROR_STOP=1 -v store="$STORE" -v layout="$LAYOUT" 2>&1 || printf 'status %s\n' $?
}

main() {
  check 'creates a store' "$(sql <<<"SELECT doublets.create_store(:'store', :'layout');")" "$STORE"
  check 'queries, and keeps what it got in variables' "$(sql <<'SQL'
INSERT INTO :store (source, target) VALUES (1, 9223372036854775807), (1, 3);
INSERT INTO :store VALUES (7, -1, 0) RETURNING id, source \gset got_
SELECT id, target FROM :store WHERE source = 1 ORDER BY id;
SELECT :got_id + :got_source;
SELECT * FROM :store \gdesc
SQL
)" $'1|9223372036854775807\n2|3\n6\nid|bigint\nsource|bigint\ntarget|bigint'
  check 'copies in and out' "$(sql <<SQL
\copy $STORE FROM STDIN
100	5	6
101	6	5
\.
\copy (SELECT * FROM $STORE WHERE id >= 100 ORDER BY id) TO STDOUT
SQL
)" $'100\t5\t6\n101\t6\t5'
  check 'modifies' "$(sql <<'SQL'
UPDATE :store SET target = 4 WHERE id = 2 RETURNING *;
DELETE FROM :store WHERE source = 1;
\echo :ROW_COUNT
SQL
)" $'2|1|4\n2'
  check 'keeps and undoes transactions' "$(sql <<'SQL'
BEGIN;
INSERT INTO :store VALUES (50, 50, 50);
ROLLBACK;
BEGIN;
INSERT INTO :store VALUES (51, 51, 51);
COMMIT;
SELECT id FROM :store WHERE id IN (50, 51);
SQL
)" 51
  check 'tells errors by SQLSTATE and ends' "$(sql <<'SQL'
\set VERBOSITY sqlstate
INSERT INTO :store VALUES (51, 1, 1);
\echo not reached
SQL
)" $'ERROR:  23505\nstatus 3'
  check 'describes' "$(sql <<'SQL'
\d :store
SQL
)" $'id|bigint||||\nsource|bigint||||\ntarget|bigint||||'
  check 'drops' "$(sql <<'SQL'
DROP FOREIGN TABLE :store;
SELECT to_regclass(:'store') IS NULL;
SQL
)" t
}

main "$@"
