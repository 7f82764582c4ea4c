-- UPDATE and DELETE: ends, ids, joins, several at once, data-modifying CTEs.
\set VERBOSITY sqlstate
\pset null '(null)'

CALL make_links('links');
INSERT INTO links(source, target) SELECT i, 10 - i FROM generate_series(1, 8) AS i;

-- ends: the id stays, the link is found by its new ends and no longer by its old ones
UPDATE links SET source = 100 WHERE id = 1 RETURNING *;
UPDATE links SET target = 200 WHERE id = 1 RETURNING id, target;
UPDATE links SET source = source + 1, target = source WHERE id = 2 RETURNING *;
SELECT id FROM links WHERE source = 1 ORDER BY id;
SELECT id FROM links WHERE source = 100 ORDER BY id;
SELECT id FROM links WHERE target = 200 AND source = 100 ORDER BY id;
SELECT * FROM links WHERE id = 2;
-- to what it was
UPDATE links SET source = 3 WHERE id = 3 RETURNING *;
UPDATE links SET id = 3 WHERE id = 3 RETURNING *;
-- none such
UPDATE links SET source = 0 WHERE id = 999 RETURNING *;
UPDATE links SET source = 0 WHERE source = 999 RETURNING *;
DELETE FROM links WHERE id = 999 RETURNING *;
DELETE FROM links WHERE id = 0 RETURNING *;
SELECT count(*) FROM links WHERE source = 0;

-- NULL ends and ids
UPDATE links SET source = NULL WHERE id = 4;
UPDATE links SET target = NULL WHERE id = 4;
UPDATE links SET id = NULL WHERE id = 4;
SELECT * FROM links WHERE id = 4;

-- ids: the link moves
UPDATE links SET id = 40 WHERE id = 4 RETURNING *;
SELECT * FROM links WHERE id IN (4, 40) ORDER BY id;
SELECT id FROM links WHERE source = 4 ORDER BY id;
UPDATE links SET id = 5 WHERE id = 40;
SELECT * FROM links WHERE id IN (5, 40) ORDER BY id;
UPDATE links SET id = 41, source = 41, target = -41 WHERE id = 40 RETURNING *;
WITH u AS (UPDATE links SET id = id + 1000 RETURNING id) SELECT id FROM u ORDER BY id;
UPDATE links SET id = id - 1000;
SELECT * FROM links ORDER BY id;
UPDATE links SET id = 4 WHERE id = 41;
-- the vacated id is free
INSERT INTO links VALUES (41, 1, 1) RETURNING *;
DELETE FROM links WHERE id = 41 RETURNING source, target;
SELECT * FROM broken_links('links');

-- every link once, though updating moves it ahead of the scan
UPDATE links SET source = source + 1000;
SELECT id, source FROM links ORDER BY id;
UPDATE links SET source = source - 1000 WHERE source > 0;
SELECT id, source FROM links ORDER BY id;
UPDATE links SET target = 7;
SELECT count(*) FROM links WHERE target = 7;
SELECT count(*) FROM links WHERE target <> 7;

-- swapping the ends of all
WITH u AS (UPDATE links SET source = target, target = source RETURNING id, source) SELECT * FROM u ORDER BY id;
SELECT * FROM links ORDER BY id;

-- with another table
CREATE TEMP TABLE changes(link bigint, s bigint, t bigint);
INSERT INTO changes VALUES (1, 11, 12), (2, 21, 22), (3, NULL, 0), (999, 1, 1);
WITH u AS (
  UPDATE links SET source = c.s, target = c.t FROM changes AS c WHERE links.id = c.link AND c.s IS NOT NULL
  RETURNING links.*, c.link)
SELECT * FROM u ORDER BY id;
SELECT * FROM links WHERE id <= 3 ORDER BY id;
DELETE FROM links USING changes AS c WHERE links.id = c.link AND c.s = 21 RETURNING links.id, c.t;
DELETE FROM links WHERE source IN (SELECT s FROM changes) RETURNING id;
DELETE FROM links WHERE EXISTS (SELECT FROM changes AS c WHERE c.link = links.id) RETURNING id;
-- one link matched by several rows is changed once
INSERT INTO changes VALUES (5, 50, 50), (5, 50, 50);
UPDATE links SET source = c.s FROM changes AS c WHERE links.id = c.link AND c.link = 5;
DELETE FROM links USING changes AS c WHERE links.id = c.link AND c.link = 5 RETURNING links.id, links.source;
SELECT * FROM links ORDER BY id;

-- with itself
WITH u AS (
  UPDATE links SET source = b.id FROM links AS b WHERE links.id = b.id AND b.id > 6 RETURNING links.id, links.source)
SELECT * FROM u ORDER BY id;
DELETE FROM links AS a USING links AS b WHERE a.source = b.id AND b.id = 8 RETURNING a.id, b.id;
SELECT * FROM links ORDER BY id;
SELECT * FROM broken_links('links');

-- data-modifying CTEs see the state before the statement
CALL make_links('links');
INSERT INTO links(source, target) SELECT i, i FROM generate_series(1, 6) AS i;
WITH gone AS (DELETE FROM links WHERE id <= 2 RETURNING *),
     kept AS (SELECT count(*) AS n FROM links),
     again AS (INSERT INTO links SELECT id + 100, source, target FROM gone RETURNING id)
SELECT (SELECT n FROM kept) AS before, (SELECT sum(id) FROM again) AS moved, (SELECT count(*) FROM gone) AS gone;
SELECT * FROM links ORDER BY id;
WITH u AS (UPDATE links SET source = -source WHERE id BETWEEN 3 AND 4 RETURNING id, source)
SELECT l.id, l.source AS before, u.source AS after FROM u JOIN links AS l USING (id) ORDER BY l.id;
SELECT id, source FROM links WHERE source < 0 ORDER BY id;
-- deleting twice in one statement: the first wins
WITH a AS (DELETE FROM links WHERE id = 5 RETURNING id), b AS (DELETE FROM links WHERE id IN (5, 6) RETURNING id)
SELECT (SELECT count(*) FROM a) + (SELECT count(*) FROM b) AS deleted;
SELECT id FROM links ORDER BY id;

-- delete all, and again
DELETE FROM links;
SELECT count(*) FROM links;
DELETE FROM links;
INSERT INTO links VALUES (1, 2, 3) RETURNING *;
SELECT * FROM links;
-- ON CONFLICT DO NOTHING under REPEATABLE READ: rows of the own transaction and command are skipped like others
BEGIN ISOLATION LEVEL REPEATABLE READ;
INSERT INTO links VALUES (9, 1, 1), (9, 2, 2) ON CONFLICT DO NOTHING RETURNING *;
INSERT INTO links VALUES (9, 3, 3) ON CONFLICT DO NOTHING RETURNING *;
WITH one AS (INSERT INTO links VALUES (7, 7, 7) RETURNING id)
INSERT INTO links SELECT id, 2, 2 FROM one ON CONFLICT DO NOTHING RETURNING *;
COMMIT;
SELECT * FROM links ORDER BY id;
-- what a violated constraint is called, and the row it shows
DO $$
DECLARE name text; detail text;
BEGIN
  INSERT INTO links VALUES (9, 5, 5);
EXCEPTION WHEN unique_violation THEN
  GET STACKED DIAGNOSTICS name = CONSTRAINT_NAME, detail = PG_EXCEPTION_DETAIL;
  PERFORM set_config('test.seen', name || ': ' || detail, false);
END $$;
SELECT current_setting('test.seen');
DO $$
DECLARE detail text;
BEGIN
  INSERT INTO links VALUES (5, NULL, 5);
EXCEPTION WHEN not_null_violation THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  PERFORM set_config('test.seen', detail, false);
END $$;
SELECT current_setting('test.seen');
SELECT * FROM broken_links('links');
CALL drop_links('links');
