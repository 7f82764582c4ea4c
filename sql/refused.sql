-- What is not built yet is refused and never ignored; what PostgreSQL refuses on every foreign table is refused too.
\pset null '(null)'

CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2);

-- SERIALIZABLE
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT problem('SELECT * FROM links');
SELECT problem('SELECT count(*) FROM links');
SELECT problem('INSERT INTO links VALUES (3, 3, 3)');
SELECT problem('UPDATE links SET source = 1');
SELECT problem('DELETE FROM links');
SELECT problem($$SELECT doublets.count_links('links')$$);
SELECT problem($$SELECT doublets.create_link('links', 1, 1)$$);
SELECT problem($$SELECT * FROM doublets.outgoing('links', 1)$$);
ROLLBACK;
SET default_transaction_isolation = 'serializable';
SELECT problem('SELECT * FROM links WHERE id = 1');
RESET default_transaction_isolation;

-- row locks
SELECT problem('SELECT * FROM links FOR UPDATE');
SELECT problem('SELECT * FROM links WHERE id = 1 FOR NO KEY UPDATE');
SELECT problem('SELECT * FROM links WHERE source = 1 FOR SHARE');
SELECT problem('SELECT * FROM links FOR KEY SHARE NOWAIT');
SELECT problem('SELECT * FROM links ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1');
CREATE TABLE heap(n bigint);
INSERT INTO heap VALUES (1);
SELECT problem('SELECT * FROM heap JOIN links ON id = n FOR UPDATE');
-- those of the other table only are none of ours
SELECT * FROM heap JOIN links ON id = n FOR UPDATE OF heap;
DROP TABLE heap;

-- two-phase commit
\set VERBOSITY sqlstate
BEGIN;
INSERT INTO links VALUES (3, 3, 3);
PREPARE TRANSACTION 'doublets_refused';
SELECT * FROM links ORDER BY id;
SELECT count(*) FROM pg_prepared_xacts WHERE gid = 'doublets_refused';
\set VERBOSITY default

-- what no foreign table has
SELECT problem('CREATE RULE r AS ON DELETE TO links DO INSTEAD NOTHING');
SELECT problem('CREATE INDEX ON links(source)');
SELECT problem('ALTER FOREIGN TABLE links ADD PRIMARY KEY (id)');
SELECT problem('INSERT INTO links VALUES (1, 1, 1) ON CONFLICT (id) DO NOTHING');
SELECT problem('INSERT INTO links VALUES (1, 1, 1) ON CONFLICT (id) DO UPDATE SET source = 1');
SELECT problem('MERGE INTO links USING (VALUES (1)) AS v(n) ON id = n WHEN MATCHED THEN DELETE');
SELECT problem('LOCK TABLE links');
SELECT problem('SELECT * FROM links TABLESAMPLE system (10)');
SELECT problem('ALTER FOREIGN TABLE links ENABLE ROW LEVEL SECURITY');
SELECT problem('COPY links TO ''/dev/null''');
DO $$
DECLARE
  c CURSOR FOR SELECT * FROM links;
  l record;
BEGIN
  OPEN c;
  FETCH c INTO l;
  DELETE FROM links WHERE CURRENT OF c;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE '%: %', SQLSTATE, SQLERRM;
END
$$;
SELECT * FROM links ORDER BY id;
SELECT * FROM broken_links('links');
CALL drop_links('links');
