-- UPDATE and DELETE of many rows at once by conditions of every kind, which a store does without handing each row up: what is
-- changed, counted and returned, and what goes wrong in the middle.
\set VERBOSITY sqlstate
\pset null '(null)'

CALL make_links('links');
INSERT INTO links SELECT i, i % 50, i % 7 FROM generate_series(1, 3000) AS i;
CREATE FUNCTION digest() RETURNS text LANGUAGE sql AS $$
  SELECT format('%s rows, ids %s, sources %s, targets %s, together %s', count(*), sum(id), sum(source), sum(target), sum(id * source + target))
  FROM links
$$;
SELECT digest();

-- through several batches, on the condition of an index and on others
UPDATE links SET target = target + 1;
SELECT digest();
UPDATE links SET target = -target WHERE id <= 1500;
SELECT digest();
UPDATE links SET source = source + 1000, target = source WHERE source = 7;
SELECT digest();
UPDATE links SET target = 0 WHERE source IN (1, 2, 3) AND target % 2 = 0;
SELECT digest();
UPDATE links SET target = id WHERE source BETWEEN 10 AND 20 OR target = 3;
SELECT digest();
UPDATE links SET id = id + 10000 WHERE id > 2900;
SELECT digest();
DELETE FROM links WHERE target = 0;
SELECT digest();
DELETE FROM links WHERE id % 3 = 0 AND source > 5;
SELECT digest();
DELETE FROM links WHERE source NOT IN (SELECT source FROM links WHERE id > 2000) OR id = 1;
SELECT digest();
UPDATE links SET target = (SELECT max(id) FROM links) WHERE id = (SELECT min(id) FROM links WHERE source = 12);
SELECT digest();
UPDATE links SET (source, target) = (SELECT 5, 6) WHERE id < 100;
SELECT digest();
UPDATE links AS l SET target = (SELECT count(*) FROM links AS o WHERE o.source = l.source) WHERE id < 200;
SELECT digest();
UPDATE links SET target = 1 WHERE false;
UPDATE links SET target = 1 WHERE NULL;
UPDATE links SET target = 1 WHERE source = NULL;
DELETE FROM links WHERE source IS NULL;
SELECT digest();
UPDATE links SET target = 77 WHERE source IS NOT NULL AND ctid = ANY (ARRAY(SELECT ctid FROM links WHERE id < 50));
SELECT digest();

-- counted
DO $$
DECLARE n bigint;
BEGIN
  UPDATE links SET target = target + 1 WHERE source < 20;
  GET DIAGNOSTICS n = ROW_COUNT;
  PERFORM set_config('test.seen', n || ' ' || FOUND, false);
END $$;
SELECT current_setting('test.seen') = (SELECT count(*) || ' true' FROM links WHERE source < 20) AS counted;
WITH u AS (UPDATE links SET target = target WHERE source = 12) DELETE FROM links WHERE source = 15 AND id < 1000;

-- returned
WITH u AS (UPDATE links SET target = target * 2, source = source RETURNING *)
SELECT count(*), sum(id), sum(source), sum(target), sum(id * source + target) FROM u;
SELECT digest();
WITH u AS (UPDATE links SET target = 5 WHERE source = 12 AND id < 300 RETURNING tableoid::regclass AS place, links AS row, source + target AS sum)
SELECT * FROM u ORDER BY row::text LIMIT 3;
WITH d AS (DELETE FROM links WHERE source = 13 RETURNING id, target) SELECT count(*), sum(id), sum(target) FROM d;
WITH d AS (DELETE FROM links WHERE id IN (16, 17) RETURNING (SELECT count(*) FROM links) - id AS n, 'gone' AS what) SELECT count(*), count(DISTINCT what) FROM d;
UPDATE links SET target = 1 WHERE id = 18 RETURNING 1, NULL;
SELECT digest();

-- with parameters
PREPARE change(bigint, int, bigint[]) AS UPDATE links SET target = $1 WHERE source = $2 OR id = ANY ($3);
PREPARE few(bigint, bigint) AS DELETE FROM links WHERE id BETWEEN $1 AND $2 RETURNING id;
SET plan_cache_mode = force_generic_plan;
EXECUTE change(9, 19, '{20, 22, NULL}');
EXECUTE change(NULL, NULL, NULL);
EXECUTE change(1, NULL, '{20}');
EXECUTE few(22, 25);
EXECUTE few(25, 22);
EXECUTE few(NULL, 22);
EXECUTE change(NULL, 19, NULL);
RESET plan_cache_mode;
DEALLOCATE ALL;
SELECT digest();

-- errors in the middle change nothing
UPDATE links SET target = 10 / (id - 1018);
UPDATE links SET target = 9223372036854775807 - 1000 + id;
UPDATE links SET source = nullif(id, 1019);
UPDATE links SET id = 5000000;
DELETE FROM links WHERE 1 / (id - 1020) = 5;
WITH d AS (DELETE FROM links RETURNING 1 / (id - 1021)) SELECT count(*) FROM d;
WITH u AS (UPDATE links SET target = 0 RETURNING 1 / (id - 1021)) SELECT count(*) FROM u;
ALTER TABLE links ADD CONSTRAINT small CHECK (target < 100000);
UPDATE links SET target = target + 50000 WHERE id > 1000;
UPDATE links SET target = CASE id WHEN 1022 THEN 100000 ELSE target END;
DO $$
DECLARE detail text; name text;
BEGIN
  UPDATE links SET target = 100000, source = 4 WHERE id = 1022;
EXCEPTION WHEN check_violation THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, name = CONSTRAINT_NAME;
  PERFORM set_config('test.seen', name || ' ' || detail, false);
END $$;
SELECT current_setting('test.seen');
ALTER TABLE links DROP CONSTRAINT small;
SELECT digest();
BEGIN;
UPDATE links SET target = target + 50000 WHERE id > 1000;
SAVEPOINT s;
DELETE FROM links WHERE id > 1500;
UPDATE links SET target = 1 / (id - 1023);
ROLLBACK TO s;
SELECT digest();
UPDATE links SET target = target - 50000 WHERE id > 1000;
COMMIT;
SELECT digest();

-- functions that look: they see how far the command has come
CREATE FUNCTION left_over() RETURNS bigint VOLATILE LANGUAGE sql AS 'SELECT count(*) FROM links WHERE source = 12';
UPDATE links SET target = left_over() WHERE source = 12;
SELECT count(DISTINCT target) FROM links WHERE source = 12;
UPDATE links SET source = -12 WHERE source = 12 AND left_over() > 10;
SELECT left_over();
WITH d AS (DELETE FROM links WHERE source = 12 RETURNING left_over() AS n) SELECT string_agg(n::text, ' ' ORDER BY n) FROM d;
UPDATE links SET source = 12 WHERE source = -12;
WITH d AS (DELETE FROM links WHERE source = 12 RETURNING id) SELECT count(DISTINCT left_over()) = count(*) FROM d;
DROP FUNCTION left_over;

-- also where the planner has made a plan of its own of what they stand in
CALL make_links('few');
INSERT INTO few SELECT i, i % 10, i % 7 FROM generate_series(1, 200) AS i;
CREATE FUNCTION zeros() RETURNS bigint VOLATILE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM few WHERE source = 0); END';
DELETE FROM few WHERE source = 0 AND (SELECT zeros() + few.id * 0) > 5;
SELECT zeros();
UPDATE few SET source = 0 WHERE source <> 0 AND CASE WHEN id % 2 = 0 THEN (SELECT zeros() + few.id * 0) < 30 ELSE false END;
SELECT zeros();
WITH d AS (DELETE FROM few WHERE source = 0 RETURNING (SELECT zeros() + few.id * 0) AS n) SELECT count(DISTINCT n), min(n), max(n) FROM d;
INSERT INTO few SELECT 1000 + i, 0, i FROM generate_series(1, 100) AS i WHERE (SELECT zeros() + i * 0) < 10;
SELECT zeros();
DROP FUNCTION zeros;
CALL drop_links('few');

-- triggers of the statement
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% % %: %', TG_WHEN, TG_OP, TG_LEVEL, (SELECT count(*) FROM links WHERE source = 14);
  RETURN NULL;
END
$$;
CREATE TRIGGER b BEFORE UPDATE OR DELETE ON links FOR EACH STATEMENT EXECUTE FUNCTION note();
CREATE TRIGGER a AFTER UPDATE OR DELETE ON links FOR EACH STATEMENT EXECUTE FUNCTION note();
\set VERBOSITY terse
UPDATE links SET source = 14 WHERE source = 16;
DELETE FROM links WHERE source = 14;
\set VERBOSITY sqlstate
DROP TRIGGER a ON links;
DROP TRIGGER b ON links;
DROP FUNCTION note;

-- two commands about the same rows
WITH a AS (UPDATE links SET target = 1 WHERE source = 18 RETURNING id), b AS (UPDATE links SET target = 2 WHERE source = 18 RETURNING id)
SELECT (SELECT count(*) FROM a) > 0, (SELECT count(*) FROM b);
SELECT count(*), min(target), max(target) FROM links WHERE source = 18;
BEGIN;
UPDATE links SET target = 3 WHERE source = 18;
UPDATE links SET target = target + 1 WHERE source = 18;
DELETE FROM links WHERE source = 18 AND id < 1000;
INSERT INTO links SELECT 20000 + i, 18, i FROM generate_series(1, 5) AS i;
UPDATE links SET target = target + 1 WHERE source = 18;
SELECT count(*), min(target), max(target) FROM links WHERE source = 18;
ROLLBACK;
SELECT count(*), min(target), max(target) FROM links WHERE source = 18;

-- children
CREATE TABLE family(id bigint, source bigint NOT NULL, target bigint NOT NULL);
INSERT INTO family SELECT i, i, i FROM generate_series(1, 20) AS i;
ALTER TABLE links INHERIT family;
UPDATE family SET target = 4 WHERE source IN (18, 19);
WITH u AS (UPDATE family SET target = 5 WHERE source IN (18, 19) RETURNING tableoid::regclass AS place, *)
SELECT place, count(*), sum(target) FROM u GROUP BY place ORDER BY place::text;
DELETE FROM family WHERE source = 19;
SELECT count(*) FROM family WHERE source = 19;
ALTER TABLE links NO INHERIT family;
DROP TABLE family;
-- an error in a function that runs as somebody else, or with other settings, leaves none of it to those of RETURNING
CREATE ROLE regress_doublets_asker;
CREATE FUNCTION reciprocal(x bigint) RETURNS bigint LANGUAGE plpgsql STABLE SECURITY DEFINER SET work_mem = '77kB' AS
$$ BEGIN RETURN 100 / (x - 12); END $$;
CREATE FUNCTION tell(id bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS
$$ BEGIN RAISE NOTICE '% %', current_user, current_setting('work_mem') = '77kB'; RETURN id; END $$;
CALL make_links('asked');
INSERT INTO asked VALUES (1, 10, 1), (2, 11, 1), (3, 12, 1), (4, 13, 1);
GRANT ALL ON asked TO regress_doublets_asker;
SET ROLE regress_doublets_asker;
\set VERBOSITY terse
UPDATE asked SET target = 5 WHERE reciprocal(source) <> 0 RETURNING tell(id);
UPDATE asked SET target = reciprocal(source) RETURNING tell(id);
DELETE FROM asked WHERE reciprocal(source) <> 0 RETURNING tell(id);
UPDATE asked SET target = 100 / (source - 12) RETURNING tell(id);
\set VERBOSITY sqlstate
RESET ROLE;
SELECT * FROM asked ORDER BY id;
CALL drop_links('asked');
DROP FUNCTION reciprocal, tell;
DROP ROLE regress_doublets_asker;
SELECT digest();
DELETE FROM links;
SELECT count(*) FROM links;
DROP FUNCTION digest;
SELECT * FROM broken_links('links');
CALL drop_links('links');
