-- OR: each link once, however many branches it meets, in whatever is done with it. The conditions themselves are those of
-- `ranges` and `aggregates` too.
CALL make_links('links');
INSERT INTO links SELECT i, i % 40, i * 7 % 31 FROM generate_series(1, 1200) AS i;
INSERT INTO links SELECT 2000 + i, 5, 5 FROM generate_series(1, 60) AS i;
DELETE FROM links WHERE id % 11 = 0;
UPDATE links SET target = 5 WHERE id % 13 = 0;

-- parameters, in plans for all values and for these
PREPARE touching(bigint, int4, bigint[]) AS
  SELECT count(*), sum(id), min(id), max(id) FROM links WHERE source = $1 OR (target = $2 AND id > 100) OR id = ANY ($3);
SET plan_cache_mode = force_generic_plan;
EXECUTE touching(5, 5, '{1,2,5,2001}');
EXECUTE touching(5, NULL, '{}');
EXECUTE touching(NULL, 5, '{NULL}');
EXECUTE touching(NULL, NULL, NULL);
EXECUTE touching(-1, -1, '{NULL,7}');
SET plan_cache_mode = force_custom_plan;
EXECUTE touching(5, 5, '{1,2,5,2001}');
EXECUTE touching(NULL, 5, '{NULL}');
EXECUTE touching(NULL, NULL, NULL);
RESET plan_cache_mode;
-- a plan made when there was nothing to plan for
CALL make_links('young');
PREPARE of_young(bigint) AS SELECT count(*), sum(id) FROM young WHERE (source = $1 OR target = $1) AND id > $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE of_young(5);
INSERT INTO young SELECT * FROM links;
EXECUTE of_young(5);
RESET plan_cache_mode;
-- lists, within branches and beside them, and empty ones
SELECT count(*), sum(id) FROM links WHERE (source IN (1, 2, 3) OR target IN (3, 4) AND source IN (4, 5, 6)) AND id = ANY (ARRAY(SELECT generate_series(1, 500)));
SELECT count(*), sum(id) FROM links WHERE (source IN (1, 5, 9) AND source IN (5, 9, 11) OR source IN (5, 12) AND target = 5) AND source IN (5, 9, 12, 1) AND source > 2;
SELECT count(*), sum(id) FROM links WHERE source = ANY ('{}'::bigint[]) OR target = ANY ('{NULL}'::bigint[]) OR id BETWEEN 5 AND 3;
-- the same branch again, branches in each other, branches of everything
SELECT count(*), sum(id) FROM links WHERE source = 5 OR source = 5 OR source BETWEEN 4 AND 6 OR (source = 5 AND target = 5);
SELECT count(*), sum(id) FROM links WHERE source >= 0 OR target >= 0 OR source IS NOT NULL;
SELECT count(*), sum(id) FROM links WHERE source IS NULL OR target IS NULL;
-- in order, and only some
SELECT id FROM links WHERE source = 5 OR target = 5 ORDER BY id DESC LIMIT 5;
SELECT id FROM links WHERE (source = 5 OR target = 5) AND id > 2000 ORDER BY id LIMIT 3 OFFSET 2;
SELECT source, target, id FROM links WHERE source = 5 OR target = 5 ORDER BY source DESC, target DESC, id DESC LIMIT 4;
SELECT count(*) FROM (SELECT FROM links WHERE source = 5 OR target = 5 LIMIT 100) AS first;
-- what is more than the store takes
SELECT count(*), sum(id) FROM links WHERE source = 5 OR (target = 6 AND id % 3 = 0) OR (target = 7 AND (id < 20 OR id > 1100));
SELECT count(*), sum(id) FROM links WHERE source = 5 OR id % 5 = 0 OR source = target;
SELECT count(*), sum(id) FROM links WHERE (source = 5 OR target = 5) AND (source = 7 OR id > 2000) AND (target < 20 OR id IN (3, 4));
CREATE FUNCTION many(n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text;
BEGIN
  EXECUTE 'SELECT count(*) || '' '' || sum(id) FROM links WHERE ' || (SELECT string_agg(format('source = %s AND target = %s OR id = %s', i % 40, i % 31, 2 * i), ' OR ')
    FROM generate_series(1, n) AS i) INTO answer;
  RETURN answer;
END
$$;
SELECT n, many(n) FROM unnest('{1,2,49,50,51,300}'::int[]) AS n;
-- values of other relations
SELECT v, count(*), sum(l.id) FROM generate_series(3, 7) AS v JOIN links AS l ON l.source = v OR l.target = v GROUP BY v ORDER BY v;
SELECT v, (SELECT count(*) FROM links WHERE source = v OR target = v + 1 AND id > v) FROM generate_series(3, 7) AS v ORDER BY v;
SELECT v, x.id FROM generate_series(3, 5) AS v, LATERAL (SELECT id FROM links WHERE (source = v OR target = v) AND id > 1000 ORDER BY id LIMIT 2) AS x ORDER BY v, id;
SELECT count(*), sum(a.id), sum(b.id) FROM links AS a JOIN links AS b ON (b.source = a.target OR b.target = a.target) AND b.id > a.id WHERE a.id < 60;
SELECT count(*) FROM links AS a LEFT JOIN links AS b ON b.source = a.id OR (b.target = a.id AND b.source = 5);
SELECT count(*) FROM links AS a WHERE NOT EXISTS (SELECT FROM links AS b WHERE b.id = a.source OR b.id = a.target);
-- what it does not answer stays an error, or none
SELECT outcome('SELECT * FROM links WHERE source = 5 OR target / (id - 1) = 5');
-- groups
SELECT source, count(*) FROM links WHERE source = 5 OR source = 6 GROUP BY source ORDER BY source;
SELECT source, count(*), min(id) FROM links WHERE target = 5 OR source < 3 GROUP BY source HAVING count(*) > 8 ORDER BY source;
SELECT count(*), min(id), max(id) FROM links WHERE source = 100 OR target = 100;
-- changes, which do not find again what they have made
BEGIN;
UPDATE links SET source = 7, target = 5 WHERE source = 5 OR target = 7;
SELECT count(*), sum(id) FROM links WHERE source = 7 AND target = 5;
WITH u AS (UPDATE links SET source = target, target = source WHERE (source = 7 OR target = 7) AND id < 200 RETURNING *) SELECT * FROM u ORDER BY id;
WITH d AS (DELETE FROM links WHERE (source = 7 OR target = 7) AND id > 100 RETURNING id % 2 AS odd) SELECT odd, count(*) FROM d GROUP BY odd ORDER BY odd;
SELECT count(*), sum(id), sum(source), sum(target) FROM links;
UPDATE links AS l SET target = v FROM generate_series(8, 9) AS v WHERE (l.source = v OR l.target = v - 2) AND l.id <= 90;
DELETE FROM links AS l USING generate_series(8, 9) AS v WHERE l.source = v OR l.target = v;
SELECT count(*), sum(id), sum(source), sum(target) FROM links;
SELECT id FROM links WHERE (source = 10 OR target = 10) AND id < 100 ORDER BY id FOR UPDATE;
ROLLBACK;
-- with triggers, which see each row once
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% %', TG_OP, OLD;
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END
$$;
CREATE TRIGGER tell BEFORE UPDATE OR DELETE ON links FOR EACH ROW WHEN (OLD.id < 10) EXECUTE FUNCTION tell();
BEGIN;
UPDATE links SET target = 4 WHERE (source = 4 OR target = 4 OR id = 4) AND id < 10;
DELETE FROM links WHERE source = 4 OR target = 4;
SELECT count(*), sum(id) FROM links;
ROLLBACK;
DROP TRIGGER tell ON links;
-- own changes, undone ones, and what a cursor saw
BEGIN;
DECLARE before CURSOR FOR SELECT id FROM links WHERE source = 5 OR target = 5;
SAVEPOINT one;
DELETE FROM links WHERE source = 5;
SELECT count(*) FROM links WHERE source = 5 OR target = 5;
ROLLBACK TO one;
UPDATE links SET target = 6 WHERE target = 5 AND id % 2 = 0;
INSERT INTO links VALUES (5000, 5, 5), (5001, 6, 5);
SELECT count(*), max(id) FROM links WHERE source = 5 OR target = 5;
MOVE FORWARD ALL IN before;
ROLLBACK;
SELECT * FROM broken_links('links');

DROP FUNCTION many, tell;
CALL drop_links('young');
CALL drop_links('links');
