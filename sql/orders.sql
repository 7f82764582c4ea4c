-- Which index is walked in which order, and how many links it takes to answer: with LIMIT few, whatever the size and the
-- depth of the page. Each layout has an expected file of its own.
SELECT backend();
CALL make_links('links');
INSERT INTO links SELECT i, CASE WHEN i % 4 = 0 THEN 1 ELSE i % 900 + 100 END, i * 7 % 1100 FROM generate_series(1, 20000) AS i;
CREATE TABLE other(n bigint PRIMARY KEY);
INSERT INTO other SELECT i FROM generate_series(1, 20000) AS i;
VACUUM ANALYZE other;
SET max_parallel_workers_per_gather = 0;

-- A plan in one line, with the index and the order of each scan and the number of links it has visited.
CREATE FUNCTION walk(node json) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  kind text := node ->> 'Node Type';
  below text := (SELECT string_agg(walk(p), ', ' ORDER BY n) FROM json_array_elements(node -> 'Plans') WITH ORDINALITY AS x(p, n)
    WHERE p ->> 'Parent Relationship' <> 'InitPlan');
BEGIN
  IF kind = 'Foreign Scan' THEN
    RETURN concat_ws(' ', '[' || coalesce(node ->> 'Index', 'all'), 'in order of ' || (node ->> 'Order'), 'visits ' || (node ->> 'Links Visited') || ']');
  END IF;
  RETURN coalesce(node ->> 'Custom Plan Provider', kind) || coalesce('(' || below || ')', '');
END
$$;
CREATE FUNCTION walk(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
  RETURN walk(plan -> 0 -> 'Plan');
END
$$;
CREATE TABLE wanted(n int GENERATED ALWAYS AS IDENTITY, query text);
INSERT INTO wanted(query) VALUES
  ('ORDER BY id LIMIT 10'), ('ORDER BY id DESC LIMIT 10'), ('ORDER BY id DESC NULLS LAST LIMIT 1'), ('ORDER BY id LIMIT 100'), ('ORDER BY id OFFSET 1000 LIMIT 10'),
  ('WHERE id > 15000 ORDER BY id LIMIT 10'), ('WHERE id < 15000 ORDER BY id DESC LIMIT 10'), ('WHERE id BETWEEN 100 AND 103'), ('WHERE id IN (5, 6, 7) ORDER BY id DESC'),
  ('WHERE source = 1 ORDER BY id LIMIT 10'), ('WHERE source = 1 ORDER BY id DESC LIMIT 10'), ('WHERE source = 1 AND id > 19000 ORDER BY id LIMIT 10'),
  ('WHERE source = 1 AND id < 19000 ORDER BY id DESC LIMIT 10'), ('WHERE source = 333 ORDER BY id LIMIT 10'), ('WHERE target = 333 AND id > 7000 ORDER BY id LIMIT 3'),
  ('WHERE source = 1 AND target = 28 ORDER BY id LIMIT 2'), ('WHERE source = 1 AND id BETWEEN 8000 AND 8010'),
  ('WHERE source = 1 AND id = 8000'), ('WHERE source = 333 AND target > 500'), ('WHERE source IN (333, 334) AND target IN (531, 538)'),
  ('ORDER BY source LIMIT 10'), ('ORDER BY source, target, id LIMIT 10'), ('ORDER BY source DESC, target DESC LIMIT 10'), ('ORDER BY target, source LIMIT 10'),
  ('ORDER BY source, id LIMIT 10'), ('WHERE source = 1 ORDER BY target LIMIT 10'), ('WHERE source IN (333, 334) ORDER BY source, target LIMIT 3'),
  ('WHERE source BETWEEN 333 AND 335 ORDER BY source, target'), ('WHERE target < 3 ORDER BY target DESC'), ('WHERE target = 7 ORDER BY source DESC LIMIT 3'),
  ('WHERE source > 990 AND target > 1000 ORDER BY id'), ('WHERE source = 1 AND target BETWEEN 28 AND 30 ORDER BY source, target, id'),
  -- an OR: a search for each branch, or one for all, whatever is less
  ('WHERE source = 333 OR target = 333'), ('WHERE id = 5 OR id = 7'), ('WHERE (source = 333 OR target = 333 AND source = 640) AND id > 100'),
  ('WHERE source = 333 OR target = 333 ORDER BY id LIMIT 1'), ('WHERE source = 333 OR id % 2 = 0'), ('WHERE source > 1 OR target > 1'),
  ('WHERE source = 333 AND (target > 0 OR id > 0)'), ('WHERE (source > 1 OR target > 1) AND (source = 333 OR id = 5)'),
  -- comparisons of rows: at least the bound of the first column, and in the order of the columns as few links as are wanted
  ('WHERE (source, id) > (998, 15000)'), ('WHERE (source, target) >= (998, 1090) AND id > 100'), ('WHERE (target, source) < (2, 200)'), ('WHERE (id, source) > (19990, 5)'),
  ('WHERE (998, 15000) < (source, id)'), ('WHERE source = 1 AND (target, id) > (1000, 7000)'), ('WHERE (source, id % 7) > (998, 3)'),
  ('WHERE (source, target, id) > (1, 28, 8000) ORDER BY source, target, id LIMIT 10'), ('WHERE (source, target, id) < (1, 28, 8000) ORDER BY source DESC, target DESC, id DESC LIMIT 10'),
  ('WHERE (source, target, id) > (1, 28, 8000) ORDER BY source DESC, target DESC, id DESC LIMIT 10'), ('WHERE (target, source) <= (28, 1) ORDER BY target, source, id LIMIT 10'),
  ('WHERE source = 1 AND (target, id) > (28, 8000) ORDER BY target, id LIMIT 10'), ('WHERE (source, id) > (1, 8000) ORDER BY source, target, id LIMIT 10');
SELECT query, walk('SELECT * FROM links ' || query) FROM wanted ORDER BY n;
-- joined in order
SELECT walk('SELECT * FROM links JOIN other ON n = id ORDER BY id LIMIT 10'), walk('SELECT * FROM links AS a JOIN links AS b USING (id)');
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT walk('SELECT * FROM links JOIN other ON n = source');
SELECT walk('SELECT * FROM links AS a JOIN links AS b ON a.source = b.source AND a.target = b.target');
SELECT walk('SELECT * FROM links AS a JOIN links AS b ON a.source = b.target WHERE a.source = 333');
RESET enable_hashjoin;
RESET enable_nestloop;
SELECT walk('SELECT * FROM generate_series(1, 3) AS v JOIN links ON source = v + 330 OR target = v + 330');
SELECT walk('SELECT count(*), min(id) FROM links WHERE source = 333 OR target = 333'), walk('SELECT source, count(*) FROM links WHERE source = 333 OR source = 334 GROUP BY source');
-- up to a hundred branches
SELECT walk('SELECT * FROM links WHERE ' || string_agg('id = ' || i, ' OR ')) FROM generate_series(1, 100) AS i
UNION ALL SELECT walk('SELECT * FROM links WHERE ' || string_agg('id = ' || i, ' OR ')) FROM generate_series(1, 101) AS i;
-- an index for one plan with all parameters: the one that fits the values
PREPARE range(bigint, bigint, bigint) AS SELECT * FROM links WHERE source = $1 AND id > $2 AND id < $3;
PREPARE page(bigint, bigint) AS SELECT * FROM links WHERE source = $1 AND id > $2 ORDER BY id LIMIT 10;
PREPARE next(bigint, bigint, bigint) AS SELECT * FROM links WHERE (source, target, id) > ($1, $2, $3) ORDER BY source, target, id LIMIT 10;
PREPARE lists(bigint[], bigint[]) AS SELECT * FROM links WHERE source = ANY ($1) AND target = ANY ($2);
SET plan_cache_mode = force_generic_plan;
SELECT walk('EXECUTE range(333, 0, 100000)'), walk('EXECUTE range(1, 19990, 20000)'), walk('EXECUTE range(1, 5000, NULL)');
SELECT walk('EXECUTE page(333, 0)'), walk('EXECUTE page(1, 15000)'), walk('EXECUTE page(1, 0)');
SELECT walk('EXECUTE next(1, 28, 15000)'), walk('EXECUTE next(1, 1096, 15000)'), walk('EXECUTE next(1, NULL, 5)'), walk('EXECUTE next(NULL, 5, 5)');
SELECT walk('EXECUTE lists(''{1, 333}'', ''{28, 531}'')'), walk(format('EXECUTE lists(''{1}'', %L)', ARRAY(SELECT generate_series(1, 3000)))),
  walk(format('EXECUTE lists(%L, %L)', ARRAY(SELECT generate_series(101, 190)), ARRAY(SELECT generate_series(2001, 2090))));
RESET plan_cache_mode;
DEALLOCATE ALL;
-- what the store computes
SELECT walk('SELECT count(*) FROM links'), walk('SELECT count(*) FROM links WHERE source = 1'), walk('SELECT count(*) FROM links WHERE source = 1 AND target = 28');
SELECT walk('SELECT count(*) FROM links WHERE source = 1 AND id > 5000'), walk('SELECT count(*) FROM links WHERE source = 1 AND target > 500');
SELECT walk('SELECT count(*), max(id) FROM links WHERE source = 1'), walk('SELECT count(*), min(id) FROM links WHERE source IN (333, 334)');
SELECT walk('SELECT source, count(*) FROM links GROUP BY source ORDER BY source'), walk('SELECT target, count(*) FROM links WHERE target > 1000 GROUP BY target');
SELECT walk('SELECT DISTINCT source FROM links ORDER BY source DESC'), walk('SELECT source FROM links GROUP BY source HAVING count(*) > 100');
-- and what it does not
SELECT walk('SELECT count(*) FROM links WHERE source = 333 AND id % 2 = 0'), walk('SELECT source, count(*) FROM links WHERE target = 28 GROUP BY source');
SELECT walk('SELECT sum(id) FROM links WHERE source = 333'), walk('SELECT count(DISTINCT source) FROM links');

DEALLOCATE ALL;
DROP TABLE wanted, other;
DROP FUNCTION walk(json), walk(text);
CALL drop_links('links');
