-- Joins that look for the links of several rows at once (extension/pg/join_scan.hpp): when the planner takes them, what
-- EXPLAIN says, and what only a store can be asked. What rows they give: batched_joins.sql.
CALL make_links('links');
INSERT INTO links SELECT i, i % 1000, i % 7 FROM generate_series(1, 20000) AS i;
CREATE TABLE probe (k bigint, name text);
INSERT INTO probe SELECT i, 'probe ' || i FROM generate_series(1, 100) AS i;
ANALYZE probe;
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    RETURN NEXT line;
  END LOOP;
END
$$;
-- whether a query has such a join
CREATE FUNCTION joins(query text) RETURNS boolean LANGUAGE sql AS $$
  SELECT bool_or(line ~ 'doublets join') FROM plan(query) AS line
$$;

EXPLAIN (COSTS OFF, VERBOSE) SELECT name, target FROM probe JOIN links AS l ON l.source = k + 1 AND l.target <> length(name);
EXPLAIN (COSTS OFF, VERBOSE, ANALYZE, TIMING OFF, SUMMARY OFF) SELECT count(*) FROM probe JOIN links ON links.source = k WHERE target = 3 OR name < 'probe 3';
EXPLAIN (COSTS OFF) SELECT k, o.target FROM probe, doublets.outgoing('links', k) AS o;
SELECT plan('WITH RECURSIVE hop (node, depth) AS (SELECT 5::bigint, 0 UNION SELECT links.target, depth + 1 FROM hop JOIN links ON links.source = hop.node WHERE depth < 3) SELECT count(*) FROM hop');
-- few rows are read ahead: one, then four, then sixteen
EXPLAIN (COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF) SELECT name FROM probe JOIN links ON links.source = k LIMIT 50;
-- in the order of the rows
EXPLAIN (COSTS OFF) SELECT k, target FROM (SELECT * FROM probe ORDER BY k LIMIT 90) AS p JOIN links ON links.source = k ORDER BY k;
SELECT array_agg(k) = array_agg(k ORDER BY k) AS ordered FROM (SELECT k FROM (SELECT * FROM probe ORDER BY k LIMIT 90) AS p JOIN links ON links.source = k) AS _;

SELECT joins(query), query FROM unnest(ARRAY[
  'SELECT * FROM probe JOIN links ON links.id = k',
  'SELECT * FROM probe JOIN links ON k = links.target',
  'SELECT links FROM probe JOIN links ON links.source = k',
  'SELECT links.ctid FROM probe JOIN links ON links.source = k',
  'SELECT * FROM probe JOIN links ON links.source = k FOR SHARE OF links',
  'SELECT * FROM (SELECT * FROM probe FOR SHARE) AS p JOIN links ON links.source = k',
  'SELECT * FROM probe JOIN links ON links.source = k WHERE random() < 2',
  'SELECT random(), target FROM probe JOIN links ON links.source = k',
  'SELECT * FROM probe LEFT JOIN links ON links.source = k',
  'SELECT * FROM probe JOIN links ON links.source < k',
  'SELECT * FROM probe, doublets.incoming(''links'', k)',
  'SELECT * FROM probe, doublets.usages(''links'', k)',
  'SELECT * FROM probe, doublets.each(''links'', NULL, k, NULL)']) WITH ORDINALITY AS q(query, n) ORDER BY n;
SET enable_nestloop = off;
SELECT joins('SELECT * FROM probe JOIN links ON links.source = k');
RESET enable_nestloop;

-- by functions: the same rows as by the table
SELECT count(*), sum(o.id), sum(o.target) FROM probe, doublets.outgoing('links', k % 10) AS o;
SELECT count(*), sum(links.id), sum(links.target) FROM probe JOIN links ON links.source = k % 10;
SELECT count(*), sum(o.id), min(name) FROM probe, doublets.incoming('links', nullif(k, 3)) AS o WHERE o.source > 10 AND k < 5;
SELECT count(*), sum(links.id), min(name) FROM probe JOIN links ON target = nullif(k, 3) WHERE source > 10 AND k < 5;
SELECT (SELECT count(*) FROM probe AS p, doublets.outgoing('links', p.k + probe.k) AS o WHERE p.k < 3 AND o.target < 4) FROM probe WHERE k < 5 ORDER BY k;
-- neither is a store opened for no rows, nor does one forbidden stay unnoticed
CREATE ROLE joiner;
GRANT SELECT ON probe TO joiner;
GRANT USAGE ON SCHEMA doublets TO joiner;
SET ROLE joiner;
SELECT count(*) FROM probe, doublets.outgoing('links', k) WHERE k < 0;
SELECT count(*) FROM probe, doublets.outgoing('links', k);
SELECT count(*) FROM probe, doublets.outgoing('links', nullif(k, k));
RESET ROLE;
DROP OWNED BY joiner;
DROP ROLE joiner;

-- a cursor sees the links that were there when it was opened, whatever is rolled back
BEGIN;
DECLARE c CURSOR FOR SELECT k FROM (SELECT * FROM probe ORDER BY k LIMIT 90) AS p JOIN links ON links.source = k WHERE links.id < 2100;
DECLARE f CURSOR FOR SELECT k FROM (SELECT * FROM probe ORDER BY k LIMIT 90) AS p, doublets.outgoing('links', k) AS o WHERE o.id < 2100;
FETCH 2 FROM c;
SAVEPOINT a;
FETCH 2 FROM f;
DELETE FROM links WHERE source < 50;
INSERT INTO links(source, target) SELECT k, 5 FROM probe;
FETCH 3 FROM c;
FETCH 3 FROM f;
ROLLBACK TO a;
FETCH 3 FROM c;
FETCH 3 FROM f;
MOVE FORWARD 1000 IN c;

DROP FOREIGN TABLE links;
ROLLBACK;
BEGIN;
DECLARE s SCROLL CURSOR FOR SELECT k FROM (SELECT * FROM probe ORDER BY k LIMIT 90) AS p JOIN links ON links.source = k WHERE links.id < 2100;
FETCH LAST FROM s;
FETCH PRIOR FROM s;
FETCH ABSOLUTE 3 FROM s;
ROLLBACK;

-- prepared: the store is another one
SET plan_cache_mode = force_generic_plan;
PREPARE q AS SELECT count(*), sum(target) FROM probe JOIN links ON links.source = k;
EXECUTE q;
ALTER FOREIGN TABLE links RENAME COLUMN target TO aim;
EXECUTE q;
ALTER FOREIGN TABLE links RENAME COLUMN aim TO target;
EXECUTE q;
PREPARE f AS SELECT count(*), sum(o.target) FROM probe, doublets.outgoing('links', k) AS o;
EXECUTE f;
CALL drop_links('links');
EXECUTE q;
EXECUTE f;
CALL make_links('links');
EXECUTE q;

DROP FUNCTION plan, joins;
DROP TABLE probe;
CALL drop_links('links');
