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

-- all formats are well-formed, whatever kind of node; and what they tell
CREATE FUNCTION is_formed(query text, format text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  plan text;
  line text;
BEGIN
  EXECUTE format('EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING OFF, FORMAT %s) %s', format, query) INTO plan;
  IF format = 'JSON' THEN
    RETURN plan::json -> 0 -> 'Plan' IS NOT NULL;
  ELSIF format = 'XML' THEN
    BEGIN
      RETURN xmlparse(DOCUMENT plan) IS DOCUMENT;
    EXCEPTION WHEN feature_not_supported THEN
      -- a server without libxml: whether what is opened is closed
      RETURN (SELECT count(*) FROM regexp_matches(plan, '<[A-Za-z]', 'g')) = (SELECT count(*) FROM regexp_matches(plan, '</', 'g'));
    END;
  END IF;
  FOR line IN SELECT regexp_split_to_table(plan, E'\n') LOOP
    IF line !~ '^( *|- |( {2})+- )("?[A-Z][A-Za-z ./-]*"?: *(".*"|[0-9.]+|true|false|)|".*") ?$' THEN
      RAISE NOTICE 'not YAML: %', line;
      RETURN false;
    END IF;
  END LOOP;
  RETURN true;
END
$$;
CREATE FUNCTION told(node json) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT concat(key, ': ', replace(value::text, backend(), 'LAYOUT')) FROM json_each(node)
  WHERE key NOT IN ('Plans', 'Startup Cost', 'Total Cost', 'Plan Width', 'Plan Rows', 'Actual Startup Time', 'Actual Total Time', 'Parallel Aware', 'Async Capable', 'Parent Relationship')
    AND key !~ 'Blocks$'
  UNION ALL SELECT told(p) FROM json_array_elements(node -> 'Plans') AS p
$$;
CREATE FUNCTION told(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING OFF, SUMMARY OFF, FORMAT JSON) ' || query INTO plan;
  RETURN QUERY SELECT told(plan -> 0 -> 'Plan');
END
$$;
SELECT format('CREATE FOREIGN TABLE named ("the id" bigint OPTIONS (link_part ''id''), from_id bigint, to_id bigint) SERVER doublets OPTIONS (layout %L)', backend())
\gset named_
\set ECHO none
:named_format;
\set ECHO all
INSERT INTO named SELECT * FROM links;
CALL settle_links('named');
SELECT q, string_agg(f, ' ' ORDER BY f) FILTER (WHERE is_formed(q, f)) AS formed FROM unnest(ARRAY['SELECT * FROM links', 'SELECT * FROM links WHERE source = 5 OR (target, id) > (5, 9000)',
  'SELECT count(*), min("the id") FROM named WHERE from_id <> 5 OR to_id = 5', 'SELECT count(*), min("the id"), max("the id") FROM named WHERE from_id = 5',
  'SELECT from_id, count(*) FROM named GROUP BY from_id', 'SELECT id FROM links WHERE source < 3 ORDER BY id DESC LIMIT 1', 'UPDATE links SET target = 1 WHERE source = 5 RETURNING *',
  'DELETE FROM links WHERE false', 'INSERT INTO links(source, target) VALUES (1, 1)', 'SELECT * FROM probe JOIN links ON source = n OR target = n', 'SELECT * FROM doublets.outgoing(''links'', 5)']) AS q,
  unnest('{JSON,XML,YAML}'::text[]) AS f GROUP BY q ORDER BY q;
SELECT told('SELECT id FROM links WHERE source = 7 OR target = 9 AND id > 5000');
SELECT told('SELECT from_id AS f, count(*) FROM named GROUP BY from_id');
SELECT t FROM told('SELECT max("the id") - min("the id"), count(*) FROM named WHERE to_id = 5') AS t WHERE t !~ '^(Links|Versions)';
DROP FOREIGN TABLE named;

DROP FUNCTION plan, estimate, is_formed, told(json), told(text);
CALL drop_links('links');
