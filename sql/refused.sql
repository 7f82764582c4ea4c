-- What is not built yet is refused and never ignored; what PostgreSQL refuses on every foreign table is refused too.
\pset null '(null)'

CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2);

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
