-- What a store computes itself: count, min and max of what its conditions leave, degrees, distinct ends; and what is close to
-- that but has to be left to the executor.
\pset null '(null)'

CALL make_links('links');
INSERT INTO links SELECT i, CASE WHEN i % 3 = 0 THEN 7 ELSE i % 40 - 5 END, CASE WHEN i % 4 = 0 THEN -2 ELSE i % 23 END
  FROM generate_series(1, 900) AS i ORDER BY i % 11, i;
INSERT INTO links VALUES (9223372036854775807, 7, -2), (5000000000, -9223372036854775808, 9223372036854775807);
DELETE FROM links WHERE id BETWEEN 300 AND 360 OR id % 17 = 3;
UPDATE links SET target = target + 1 WHERE id % 13 = 0;
ANALYZE links;

CREATE TABLE wanted(n int GENERATED ALWAYS AS IDENTITY, condition text);
INSERT INTO wanted(condition) VALUES ('true'), ('id < 40'), ('id BETWEEN 290 AND 370'), ('id > 800'), ('id >= 5000000000'), ('id > 3 AND id < 9 AND id = 5'),
  ('id = 9'), ('id = 20'), ('id < 1'), ('id IN (5, 600, 20, 20, 77777, 5000000000)'), ('id IN (1, 2, 4, 5) AND id = ANY (ARRAY[4, 5, 6]::int4[])'),
  ('source = 7'), ('source = 7 AND id > 500'), ('source = 7 AND id BETWEEN 270 AND 285'), ('source = 7 AND target = -2'), ('source = 7 AND target > 10'),
  ('source = 7 AND target IN (-2, 3, 5)'), ('source = 7 AND target = -2 AND id < 500'), ('source = 11'), ('source = 11 AND source = 12'), ('source > 30'),
  ('source BETWEEN 5 AND 8 AND target BETWEEN 3 AND 4'), ('source IN (7, 11, 2, NULL)'), ('source IN (7, 11) AND target IN (3, -2) AND id > 500'),
  ('target = -2'), ('target <= -1 AND id > 700'), ('target = 4 AND source = 7'), ('target IN (1, 2) AND source < 0'), ('source IS NULL'), ('id IS NOT NULL'),
  ('source = NULL::bigint'), ('target = ANY (NULL::bigint[])'), ('source = 7 AND id % 2 = 0'), ('source = 7 OR target = 4'), ('1 = 2'), ('id > source'), ('source = 7 OR target = 7'), ('(source = 7 AND id > 700) OR (target = 4 AND id < 300)'), ('source = 7 OR id % 2 = 0');

CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  EXECUTE format('SELECT string_agg(r::text, '' '' ORDER BY r) FROM (%s) AS r', query) INTO result;
  RETURN result;
END
$$;
-- longer ones by their digest
CREATE FUNCTION digest(query text) RETURNS text LANGUAGE sql AS $$ SELECT left(md5(answer(query)), 8) $$;
SELECT condition, answer('SELECT count(*), count(id), count(target), count(1), min(id), max(id) FROM links WHERE ' || condition) FROM wanted ORDER BY n;
SELECT condition, digest('SELECT source, count(*) FROM links WHERE ' || condition || ' GROUP BY source') AS by_source,
  digest('SELECT target, count(*), target % 5 AS m FROM links WHERE ' || condition || ' GROUP BY target') AS by_target,
  digest('SELECT count(*) * 2, source FROM links WHERE ' || condition || ' GROUP BY source HAVING count(*) > 7 AND source < 30') AS hubs,
  digest('SELECT DISTINCT source FROM links WHERE ' || condition) AS sources, digest('SELECT DISTINCT target FROM links WHERE ' || condition) AS targets
FROM wanted ORDER BY n;

-- what looks alike
SELECT count(NULL), count(DISTINCT source), count(*) FILTER (WHERE target = 1), count(DISTINCT id) FROM links WHERE source = 7;
SELECT count(*) FROM links WHERE source = 7 HAVING count(*) > 1000;
SELECT 1 FROM links HAVING true;
SELECT count(*) FROM links GROUP BY () HAVING max(id) > 5;
SELECT count(*) + 1, min(id) * 0, 'x' FROM links WHERE target = 4;
SELECT source, target, count(*) FROM links WHERE source = 7 AND id < 30 GROUP BY source, target ORDER BY 1, 2;
SELECT source, count(*) FROM links WHERE source IN (7, 8, 11, 1234) GROUP BY ROLLUP (source) ORDER BY source;
SELECT source % 3 AS m, count(*) FROM links GROUP BY source % 3 ORDER BY m;
SELECT source, min(id), max(id) FROM links WHERE source > 25 GROUP BY source ORDER BY source;
SELECT source FROM links GROUP BY source HAVING count(*) > 20 ORDER BY source;
SELECT source, count(*) FROM links GROUP BY source ORDER BY count(*) DESC, source LIMIT 3;
SELECT target, count(*) FROM links GROUP BY target ORDER BY target DESC LIMIT 3;
SELECT target, count(*) FROM links GROUP BY target ORDER BY target LIMIT 3;
SELECT DISTINCT source FROM links ORDER BY source LIMIT 3;
SELECT DISTINCT source, target FROM links WHERE id < 12 ORDER BY source, target;
SELECT DISTINCT ON (source) source, id FROM links WHERE source < -3 ORDER BY source, id DESC;
SELECT count(*) OVER (), source FROM links WHERE source > 32 GROUP BY source ORDER BY source;
SELECT DISTINCT count(*) FROM links WHERE source = 7;
SELECT count(*), count(*) FILTER (WHERE n > 20), sum(n), max(n) FROM (SELECT source, count(*) AS n FROM links GROUP BY source) AS degrees;
SELECT count(*) FROM links AS a JOIN (SELECT source, count(*) AS n FROM links GROUP BY source) AS d ON d.source = a.target WHERE n > 15;
SELECT string_agg(links::text, ' ' ORDER BY id) FROM links WHERE source = 7 AND id < 30;
SELECT EXISTS (SELECT FROM links WHERE source = 7 AND target = 4), EXISTS (SELECT FROM links WHERE source = 7 AND target = 12345),
  EXISTS (SELECT count(*) FROM links WHERE id = 20), NOT EXISTS (SELECT FROM links WHERE id > 900 AND id < 5000000000);

-- one plan, many parameters
SELECT v, (SELECT count(*) FROM links WHERE source = v) AS outgoing, (SELECT count(*) FROM links WHERE target = v AND id > 100) AS incoming,
  (SELECT count(*) FROM links WHERE source = v AND target = -2) AS pairs, (SELECT max(id) - min(id) FROM links WHERE source = v AND id < 5000) AS span,
  (SELECT count(*) FROM (SELECT DISTINCT target FROM links WHERE target BETWEEN v AND v + 3) AS t) AS near
FROM generate_series(-6, 12) AS v ORDER BY v;
SELECT v, (SELECT count(*) FROM links WHERE source = ANY (ARRAY[v, v + 1, NULL]) AND id >= v) FROM generate_series(4, 8) AS v ORDER BY v;
SELECT v, n.source, n.count FROM generate_series(5, 8) AS v, LATERAL (SELECT source, count(*) FROM links WHERE source BETWEEN v AND v + 1 GROUP BY source) AS n ORDER BY v, n.source;
PREPARE degree(bigint) AS SELECT count(*), min(id), max(id) FROM links WHERE source = $1;
PREPARE after(bigint, bigint) AS SELECT count(*) FROM links WHERE source = $1 AND id > $2;
PREPARE heavy(bigint) AS SELECT source, count(*) FROM links WHERE source >= $1 GROUP BY source HAVING count(*) > $1 ORDER BY source;
SET plan_cache_mode = force_generic_plan;
EXECUTE degree(7);
EXECUTE degree(11);
EXECUTE degree(12345);
EXECUTE degree(NULL);
EXECUTE after(7, 800);
EXECUTE after(11, 100);
EXECUTE heavy(5);
EXECUTE heavy(NULL);
RESET plan_cache_mode;
SELECT (SELECT count(*) FROM links WHERE source = (SELECT max(source) FROM links)), (SELECT count(*) FROM links WHERE id <= (SELECT min(id) + 5 FROM links));
WITH RECURSIVE down(node, depth, n) AS (
  SELECT 7::bigint, 0, (SELECT count(*) FROM links WHERE source = 7)
  UNION ALL
  SELECT node - 1, depth + 1, (SELECT count(*) FROM links WHERE source = node - 1) FROM down WHERE depth < 4)
SELECT * FROM down ORDER BY depth;
-- in a cursor, read twice
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT source, count(*) FROM links WHERE source < 0 GROUP BY source ORDER BY source;
FETCH ALL FROM c;
MOVE ABSOLUTE 0 IN c;
FETCH 2 FROM c;
COMMIT;

-- changes of the own transaction, of its commands so far, and what is undone
CREATE FUNCTION sums() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT concat_ws(' ', (SELECT count(*) FROM links), (SELECT count(*) FROM links WHERE source = 7), (SELECT max(id) FROM links WHERE id < 5000000000),
    (SELECT min(id) FROM links), (SELECT count(*) FROM links WHERE source = 7 AND target = -2),
    (SELECT string_agg(source || ':' || n, ',' ORDER BY source) FROM (SELECT source, count(*) AS n FROM links WHERE source BETWEEN 7 AND 9 GROUP BY source) AS d))
$$;
SELECT sums();
BEGIN;
INSERT INTO links VALUES (2000, 7, -2), (2001, 8, -2);
SELECT sums();
SAVEPOINT a;
DELETE FROM links WHERE source = 7 AND id > 400 OR id < 5;
SELECT sums();
UPDATE links SET source = 9 WHERE source = 8;
SELECT sums();
SAVEPOINT b;
INSERT INTO links SELECT 3000 + i, 7, i FROM generate_series(1, 700) AS i;
UPDATE links SET id = id + 10000 WHERE id BETWEEN 3001 AND 3500;
SELECT sums();
ROLLBACK TO b;
SELECT sums();
ROLLBACK TO a;
SELECT sums();
COMMIT;
SELECT sums();
BEGIN;
DELETE FROM links;
SELECT sums();
ROLLBACK;
SELECT sums();
-- a statement does not see what it does itself
WITH gone AS (DELETE FROM links WHERE source = 8 RETURNING id)
SELECT (SELECT count(*) FROM gone) > 0 AS some, (SELECT count(*) FROM links WHERE source = 8) AS still, (SELECT count(*) FROM links) AS all_of_them;
SELECT sums();
INSERT INTO links SELECT 6000 + i, 8, (SELECT count(*) FROM links WHERE source = 8) FROM generate_series(1, 3) AS i;
SELECT id, target FROM links WHERE source = 8 ORDER BY id;
UPDATE links AS l SET target = (SELECT count(*) FROM links WHERE source = l.source) WHERE source BETWEEN 8 AND 9 AND id > 800;
SELECT id, source, target FROM links WHERE source BETWEEN 8 AND 9 AND id > 800 ORDER BY id;

TRUNCATE links;
SELECT sums();
EXECUTE degree(7);
SELECT source, count(*) FROM links GROUP BY source;
SELECT DISTINCT target FROM links;
DEALLOCATE ALL;
DROP FUNCTION answer, digest, sums;
DROP TABLE wanted;
CALL drop_links('links');
