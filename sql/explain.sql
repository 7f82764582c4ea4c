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
