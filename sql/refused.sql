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

-- triggers of kinds that no foreign table has
CALL make_links('links');
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
SELECT problem('CREATE TRIGGER t AFTER INSERT ON links REFERENCING NEW TABLE AS n FOR EACH STATEMENT EXECUTE FUNCTION nothing()');
SELECT problem('CREATE TRIGGER t AFTER UPDATE ON links REFERENCING OLD TABLE AS o FOR EACH ROW EXECUTE FUNCTION nothing()');
SELECT problem('CREATE TRIGGER t BEFORE TRUNCATE ON links FOR EACH STATEMENT EXECUTE FUNCTION nothing()');
SELECT problem('CREATE TRIGGER t INSTEAD OF INSERT ON links FOR EACH ROW EXECUTE FUNCTION nothing()');
SELECT problem('CREATE CONSTRAINT TRIGGER t AFTER INSERT ON links FOR EACH ROW EXECUTE FUNCTION nothing()');
-- and of partitioned tables that have one among their partitions
CREATE TABLE parent(id bigint, source bigint, target bigint) PARTITION BY RANGE (source);
ALTER TABLE parent ATTACH PARTITION links FOR VALUES FROM (MINVALUE) TO (100);
CREATE TABLE rest PARTITION OF parent DEFAULT;
CREATE TRIGGER t AFTER INSERT ON parent REFERENCING NEW TABLE AS n FOR EACH STATEMENT EXECUTE FUNCTION nothing();
INSERT INTO parent VALUES (1, 1000, 1);
SELECT problem('INSERT INTO parent VALUES (1, 1, 1)');
DROP TRIGGER t ON parent;
SELECT problem('CREATE UNIQUE INDEX ON parent(source)');
-- a row does not leave a foreign partition; one may enter it
INSERT INTO parent VALUES (2, 1, 1);
SELECT problem('UPDATE parent SET source = 100 WHERE id = 2');
SELECT problem('UPDATE parent SET source = 100');
SELECT problem('UPDATE links SET source = 100');
UPDATE parent SET source = 99 WHERE id = 1;
SELECT tableoid::regclass, * FROM parent ORDER BY id;
DROP TABLE parent CASCADE;
DROP FUNCTION nothing;
