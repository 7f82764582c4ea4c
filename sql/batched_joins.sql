-- Joins that look for the links of several rows at once (extension/pg/join_scan.hpp): the rows of a native table.
\set VERBOSITY sqlstate
\pset null '(null)'
CALL make_links('links');
INSERT INTO links(source, target)
  SELECT i * 7919 % 101, i * 104729 % 97 FROM generate_series(1, 2000) AS i;
-- a hub: more links than are copied at a time
INSERT INTO links(source, target) SELECT 500, i FROM generate_series(1, 3000) AS i;
CREATE TEMP TABLE probe (gone int, k int4, name text, small int2, also text, big int8);
ALTER TABLE probe DROP COLUMN gone;
INSERT INTO probe
  SELECT CASE WHEN i % 9 = 0 THEN NULL ELSE i % 130 END, 'probe ' || i, i % 100, repeat('long ', i % 50), i
  FROM generate_series(1, 400) AS i;
INSERT INTO probe VALUES (500, 'the hub', 500, NULL, 500), (500, NULL, 500, 'again', 500);
ANALYZE links;
ANALYZE probe;
-- nothing but a nested loop
SET enable_hashjoin = off;
SET enable_mergejoin = off;

SELECT count(*) FROM probe JOIN links ON links.source = k;
SELECT count(*), sum(id), sum(target), count(name), sum(length(also)) FROM probe JOIN links ON k = links.source;
SELECT count(*), sum(id), sum(source) FROM probe JOIN links ON links.target = small;
SELECT count(*), sum(big), sum(source), max(name) FROM probe JOIN links ON links.id = big;
-- an expression, further conditions, on both sides and on one
SELECT count(*), sum(target), min(name) FROM probe JOIN links ON links.source = k + small % 3 AND links.target < big;
SELECT count(*), sum(target) FROM probe JOIN links ON links.source = k WHERE target % 2 = 0 AND links.id > 700 AND big < 300;
SELECT count(*), sum(links.id) FROM probe JOIN links ON links.source = k AND links.target = small;
SELECT name, target, target + k AS sum, also || '!' AS also FROM probe JOIN links ON links.source = k
  WHERE big < 20 ORDER BY big, target, links.id LIMIT 12;
-- rows that are large, and a row twice
SELECT length(also), target, also = repeat('long ', length(also) / 5) AS whole, target AS again
  FROM probe JOIN links ON links.source = k WHERE k = 77 ORDER BY 1, 2 LIMIT 5;
SELECT md5(string_agg(format('%s %s %s', name, also, target), '|' ORDER BY big, name, links.id))
  FROM probe JOIN links ON links.source = k;
-- few of them
SELECT big, count(*) FROM (SELECT big FROM probe JOIN links ON links.source = k ORDER BY big LIMIT 70) AS _ GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM (SELECT 1 FROM probe JOIN links ON links.source = k LIMIT 3500) AS _;
-- neither rows nor links
SELECT count(*) FROM probe JOIN links ON links.source = k WHERE big < 0;
SELECT count(*) FROM probe JOIN links ON links.source = -1 - big;
SELECT * FROM probe JOIN links ON links.source = k WHERE k IS NULL;

-- again and again, with other rows
SELECT k, (SELECT count(*) FROM probe AS p JOIN links ON links.source = p.k WHERE p.big < o.big) AS before
  FROM probe AS o WHERE big BETWEEN 4 AND 12 ORDER BY big;
SELECT k, (SELECT min(links.target) FROM probe AS p JOIN links ON links.source = p.k + o.small WHERE p.big < 30) AS least
  FROM probe AS o WHERE big BETWEEN 4 AND 9 ORDER BY big;
SELECT o.big, x.* FROM probe AS o,
  LATERAL (SELECT count(*), sum(target) FROM probe AS p JOIN links ON links.source = p.k WHERE p.big = o.big + 1) AS x
  WHERE o.big < 6 ORDER BY 1;
WITH RECURSIVE hop (node, depth) AS (
  SELECT 5::bigint, 0
  UNION
  SELECT links.target, depth + 1 FROM hop JOIN links ON links.source = hop.node WHERE depth < 4)
SELECT depth, count(*), sum(node) FROM hop GROUP BY depth ORDER BY depth;
WITH RECURSIVE reach (node) AS (
  SELECT 5::bigint
  UNION
  SELECT links.target FROM reach JOIN links ON links.source = reach.node)
SELECT count(*), sum(node) FROM reach;
-- joins of joins, and below others
SELECT count(*), sum(c.target) FROM probe JOIN links AS a ON a.source = k JOIN links AS b ON b.source = a.target
  JOIN links AS c ON c.id = b.target WHERE big < 40;
SELECT count(*), count(q.big), count(l.id) FROM probe AS q
  LEFT JOIN (probe AS p JOIN links AS l ON l.source = p.k) ON p.big = q.big + 200 AND l.target < 40;
SELECT count(*), count(t) FROM probe AS q LEFT JOIN (SELECT big, k, 'x'::text AS t FROM probe) AS p ON p.big = q.big + 200
  JOIN links AS l ON l.source = coalesce(p.k, q.k);
SELECT count(*) FROM probe WHERE EXISTS (SELECT FROM probe AS p JOIN links ON links.source = p.k WHERE p.big = probe.small AND links.target = 3);
-- the row as a whole, and what only a table has
SELECT count(links), min((links).target) FROM probe JOIN links ON links.source = k WHERE big < 50;
SELECT count(*) FROM probe JOIN links ON links.source = k WHERE links.tableoid = 'links'::regclass;

-- prepared, with a generic plan, which does not outlive what it was made for
SET plan_cache_mode = force_generic_plan;
PREPARE few(bigint) AS SELECT count(*), sum(target) FROM probe JOIN links ON links.source = k WHERE big < $1;
EXECUTE few(10);
EXECUTE few(100);
CALL make_links('links');
INSERT INTO links(source, target) SELECT i % 130, i FROM generate_series(1, 1000) AS i;
EXECUTE few(100);
TRUNCATE links;
EXECUTE few(100);
INSERT INTO links SELECT i, i % 130, i FROM generate_series(1, 1000) AS i;
EXECUTE few(100);
RESET plan_cache_mode;

BEGIN;
-- own changes are seen
INSERT INTO links VALUES (2001, 1, 77), (2002, 1, 78);
DELETE FROM links WHERE source = 2;
UPDATE links SET id = id + 100000 WHERE source = 3;
SELECT k, count(*), sum(target) FROM probe JOIN links ON links.source = k WHERE k < 4 GROUP BY k ORDER BY k;
SELECT count(*) FROM probe JOIN links ON links.id = big + 100000;
SAVEPOINT s;
DELETE FROM links WHERE source = 1;
SELECT count(*) FROM probe JOIN links ON links.source = k WHERE k = 1 OR k = 4;
ROLLBACK TO s;
SELECT count(*) FROM probe JOIN links ON links.source = k WHERE k = 1 OR k = 4;
DECLARE h CURSOR WITH HOLD FOR SELECT count(*), sum(target) FROM probe JOIN links ON links.source = k;
COMMIT;
DELETE FROM links;
FETCH h;
CLOSE h;
SELECT count(*) FROM probe JOIN links ON links.source = k;

-- cheap conditions come first
INSERT INTO links SELECT i, i % 7, i FROM generate_series(1, 40) AS i;
CREATE FUNCTION picky(n bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 10000 AS $$
BEGIN
  IF n < 5 THEN
    RAISE '% is less than five', n;
  END IF;
  RETURN true;
END
$$;
SELECT count(*) FROM probe JOIN links ON links.source = k WHERE picky(links.target) AND abs(links.target) >= 5;
DROP FUNCTION picky;
DELETE FROM links;

-- privileges are those of whoever asks
INSERT INTO links VALUES (1, 1, 2);
CREATE ROLE joiner;
GRANT SELECT ON probe TO joiner;
SET ROLE joiner;
SELECT count(*) FROM probe JOIN links ON links.source = k;
RESET ROLE;
GRANT SELECT (source) ON links TO joiner;
SET ROLE joiner;
SELECT count(*) > 0 AS some FROM probe JOIN links ON links.source = k;
SELECT sum(target) FROM probe JOIN links ON links.source = k;
RESET ROLE;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) > 0 AS some FROM probe JOIN links ON links.source = k;
COMMIT;
DROP OWNED BY joiner;
DROP ROLE joiner;

-- a parent has the links of its children too
CREATE TABLE child () INHERITS (links);
INSERT INTO child SELECT 100 + i, i, i FROM generate_series(1, 20) AS i;
SELECT count(*), sum(target) FROM probe JOIN links ON links.source = k;
SELECT count(*), sum(target) FROM probe JOIN ONLY links ON links.source = k;
DROP TABLE child;
CALL drop_links('links');
