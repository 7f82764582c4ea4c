-- Scans and aggregates by several processes: the same rows as by one, own changes included, whatever the conditions and the
-- order of execution. The settings make the planner choose them for small tables.
\set VERBOSITY sqlstate
\pset null '(null)'

CALL make_links('links');
INSERT INTO links SELECT i, i % 100, i % 7 FROM generate_series(1, 30000) AS i;
INSERT INTO links VALUES (9223372036854775807, 5, -1), (4000000000000000000, 6, -2), (50000, 7, -3);
CREATE TABLE other AS SELECT i::bigint AS n, i % 10 AS k FROM generate_series(1, 20000) AS i;
ANALYZE links;
ANALYZE other;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SET max_parallel_workers_per_gather = 2;

-- whether a plan has several processes read the table in parts; and the same question asked of one process
CREATE FUNCTION is_parallel(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  line text;
  found boolean := false;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    found := found OR line ~ 'Parallel (Foreign|Seq|Index|Index Only) Scan (using \S+ )?on links';
  END LOOP;
  RETURN found;
END
$$;
CREATE FUNCTION both_ways(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  parallel boolean := is_parallel(query);
  together text;
  alone text;
BEGIN
  EXECUTE format('SELECT md5(string_agg(q::text, chr(10) ORDER BY q::text)) || count(*) FROM (%s) AS q', query) INTO together;
  SET LOCAL max_parallel_workers_per_gather = 0;
  EXECUTE format('SELECT md5(string_agg(q::text, chr(10) ORDER BY q::text)) || count(*) FROM (%s) AS q', query) INTO alone;
  SET LOCAL max_parallel_workers_per_gather = 2;
  RETURN format('%s, %s', CASE WHEN parallel THEN 'parallel' ELSE 'one process' END, CASE WHEN alone = together THEN 'the same' ELSE 'differs' END);
END
$$;

SELECT both_ways('SELECT sum(source), sum(target), count(DISTINCT source), max(source - target) FROM links');
SELECT both_ways('SELECT * FROM links WHERE (source + target) % 3 = 0');
SELECT both_ways('SELECT source, sum(target), avg(id) FROM links GROUP BY source');
SELECT both_ways('SELECT sum(target) FROM links WHERE id > 29000 AND source <> 3');
SELECT both_ways('SELECT sum(target), sum(id::numeric) FROM links WHERE id BETWEEN 100 AND 20000');
SELECT both_ways('SELECT sum(target) FROM links WHERE source IN (1, 2, 3, 4, 5) OR target = 2');
SELECT both_ways('SELECT sum(target) FROM links WHERE source % 2 = ANY (ARRAY[0])');
SELECT both_ways('SELECT sum(target + source) FROM links WHERE source <> ALL (ARRAY(SELECT k FROM other WHERE n < 5))');
-- joins and orders, whose plans need not be the same for a table and a store
SELECT split_part(both_ways('SELECT k, sum(l.target), count(*) FROM links AS l JOIN other ON l.source = n WHERE n < 50 GROUP BY k'), ', ', 2);
SELECT split_part(both_ways('SELECT sum(n), sum(l.target) FROM other JOIN links AS l ON l.id = n'), ', ', 2);
SELECT split_part(both_ways('SELECT sum(a.target), count(*) FROM links AS a JOIN links AS b ON a.id = b.source'), ', ', 2);
SELECT split_part(both_ways('SELECT target, count(DISTINCT source) FROM links WHERE target < 3 GROUP BY target'), ', ', 2);
SELECT split_part(both_ways('SELECT id, target FROM links WHERE target % 5 = 1 ORDER BY target, id LIMIT 10'), ', ', 2);
SELECT both_ways('SELECT sum(source) FROM links WHERE false');
SELECT both_ways('SELECT l.n, s.total FROM (VALUES (1), (2), (3)) AS l(n), LATERAL (SELECT sum(target + l.n) AS total FROM links WHERE source % 3 < l.n) AS s');
SET parallel_leader_participation = off;
SELECT both_ways('SELECT sum(source), sum(target), count(DISTINCT source), max(source - target) FROM links');
RESET parallel_leader_participation;

-- the exact figures
SELECT sum(source), sum(target), sum(id::numeric) FROM links;

-- own changes, in the transaction and its subtransactions, undone ones too
BEGIN;
UPDATE links SET target = 100 WHERE id <= 10;
SAVEPOINT a;
DELETE FROM links WHERE id BETWEEN 11 AND 20;
INSERT INTO links SELECT 100000 + i, 1000, 1000 FROM generate_series(1, 500) AS i;
SAVEPOINT b;
UPDATE links SET source = 0;
ROLLBACK TO b;
SELECT both_ways('SELECT sum(source), sum(target), count(DISTINCT source) FROM links');
SELECT sum(source), sum(target), sum(id::numeric) FROM links;
ROLLBACK TO a;
SELECT sum(source), sum(target), sum(id::numeric) FROM links;
DECLARE c CURSOR FOR SELECT sum(source), sum(target) FROM links;
UPDATE links SET source = source + 1;
FETCH c;
SELECT both_ways('SELECT sum(source), sum(target), count(DISTINCT source) FROM links');
ROLLBACK;
SELECT sum(source), sum(target), sum(id::numeric) FROM links;

-- at every level, read only too
BEGIN ISOLATION LEVEL SERIALIZABLE;
DELETE FROM links WHERE id = 30;
SELECT both_ways('SELECT sum(source), sum(target) FROM links');
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT both_ways('SELECT sum(source), sum(target) FROM links');
COMMIT;

-- errors in a worker, and what cannot be done in parallel
SELECT sum(1 / (id - 15000)) FROM links;
SELECT both_ways('SELECT sum(source) FROM links FOR UPDATE');
WITH d AS (DELETE FROM links WHERE target = 6 RETURNING target) SELECT count(*), sum(target) FROM d;
SELECT both_ways('SELECT sum(source), sum(target) FROM links');
-- prepared, executed again and again
PREPARE total(bigint) AS SELECT sum(source), sum(target) FROM links WHERE id % 7 <> $1;
EXECUTE total(1);
EXECUTE total(NULL);
SET plan_cache_mode = force_generic_plan;
EXECUTE total(1);
EXECUTE total(2);
RESET plan_cache_mode;
DEALLOCATE total;
-- empty, emptied
DELETE FROM links;
SELECT both_ways('SELECT sum(source), sum(target) FROM links');
TRUNCATE links;
SELECT both_ways('SELECT sum(source), sum(target) FROM links');
SELECT sum(source) FROM links;
SELECT * FROM broken_links('links');
DROP FUNCTION both_ways, is_parallel;
DROP TABLE other;
CALL drop_links('links');
