-- Plans: which conditions reach the store, which index they use, what stays outside. The layout's name is replaced:
-- these plans are the same on both.
CALL make_links('links');
INSERT INTO links SELECT i, i % 100, i % 7 FROM generate_series(1, 10000) AS i;
CREATE TEMP TABLE probe AS SELECT i::bigint AS n FROM generate_series(1, 10) AS i;
ANALYZE links;
ANALYZE probe;

CREATE FUNCTION plan(query text, options text DEFAULT 'COSTS OFF') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
    RETURN NEXT replace(line, backend(), 'LAYOUT');
  END LOOP;
END
$$;

SELECT plan('SELECT * FROM links');
SELECT plan('SELECT * FROM links WHERE id = 5');
SELECT plan('SELECT * FROM links WHERE source = 5');
SELECT plan('SELECT * FROM links WHERE target = 5');
SELECT plan('SELECT * FROM links WHERE source = 5 AND target = 6');
SELECT plan('SELECT * FROM links WHERE 5::int2 = source AND 6::int4 = target');
SELECT plan('SELECT * FROM links WHERE id IN (1, 2, 3)');
SELECT plan('SELECT * FROM links WHERE source = ANY (ARRAY[1, 2]::int2[])');
SELECT plan('SELECT * FROM links WHERE source = 5 AND id % 2 = 0');
SELECT plan('SELECT * FROM links WHERE source = 5 OR target = 5');
SELECT plan('SELECT * FROM links WHERE source IS NULL');
SELECT plan('SELECT * FROM links WHERE source::text = ''5''');
SELECT plan('UPDATE links SET target = 1 WHERE source = 5');
SELECT plan('DELETE FROM links WHERE id = 5');
SELECT plan('INSERT INTO links(source, target) VALUES (1, 1)');
SELECT plan('SELECT * FROM probe JOIN links ON source = n');
SELECT plan('SELECT * FROM probe JOIN links ON n = id');
SELECT plan('SELECT * FROM probe, LATERAL (SELECT count(*) FROM links WHERE source = n AND target = 3) AS c');
PREPARE outgoing(bigint) AS SELECT * FROM links WHERE source = $1;
SET plan_cache_mode = force_generic_plan;
SELECT plan('EXECUTE outgoing(5)');
RESET plan_cache_mode;
DEALLOCATE outgoing;

-- changes that the store makes by itself, and those that something else has to see row by row
CREATE FUNCTION way(query text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(trim(substring(line FROM 'Foreign \w+')), ', ') FROM plan(query) AS line WHERE line LIKE '%Foreign%'
$$;
CREATE FUNCTION look() RETURNS bigint VOLATILE LANGUAGE sql AS 'SELECT count(*) FROM links';
SELECT q, way(q) FROM unnest(ARRAY['UPDATE links SET target = target + 1', 'DELETE FROM links WHERE source % 2 = 1',
  'UPDATE links SET target = random() * 10 WHERE id < 5 RETURNING id, source', 'DELETE FROM links WHERE source NOT IN (SELECT 1) RETURNING *',
  'UPDATE links SET target = (SELECT 1) WHERE source = (SELECT 2)',
  'UPDATE links SET target = look()', 'DELETE FROM links WHERE look() > 3', 'DELETE FROM links RETURNING look()',
  'WITH d AS (DELETE FROM links RETURNING id) SELECT id, look() FROM d', 'WITH d AS (DELETE FROM links RETURNING id) SELECT id FROM d',
  'UPDATE links SET target = (SELECT links.id)', 'UPDATE links SET (source, target) = (SELECT links.id, 2)',
  'UPDATE links SET target = o.id FROM links AS o WHERE o.id = links.source',
  'DELETE FROM links USING generate_series(1, 3) AS g WHERE links.id = g']) WITH ORDINALITY AS q(q, n) ORDER BY n;
CREATE VIEW checked AS SELECT * FROM links WHERE target < 100 WITH CHECK OPTION;
CREATE VIEW unchecked AS SELECT * FROM links WHERE target < 100;
SELECT q, way(q) FROM unnest(ARRAY['UPDATE checked SET target = 1', 'DELETE FROM checked', 'UPDATE unchecked SET target = 1']) AS q ORDER BY q;
DROP VIEW checked, unchecked;
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER t AFTER UPDATE ON links FOR EACH ROW EXECUTE FUNCTION nothing();
SELECT q, way(q) FROM unnest(ARRAY['UPDATE links SET target = 1', 'DELETE FROM links']) AS q ORDER BY q;
DROP TRIGGER t ON links;
DROP FUNCTION nothing, look, way;

-- estimates for constants are the real numbers
CREATE FUNCTION estimate(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
  RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
SELECT q, estimate('SELECT * FROM links WHERE ' || q) FROM unnest(ARRAY['id = 5', 'source = 5', 'target = 6', 'source = 5 AND target = 6',
  'source IN (5, 6)', 'id IN (1, 2, 3)', 'true']) AS q ORDER BY q;

DROP FUNCTION plan, estimate;
CALL drop_links('links');
