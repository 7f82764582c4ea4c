-- Set functions in FROM: a scan of their own, wherever they stand, with the same rows as anywhere else.
\pset null '(null)'

CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2), (3, 1, 2), (4, 2, 1), (5, 1, 2), (6, 5, 3), (7, 3, 3), (8, 3, 7), (9, -1, 0);

-- The plan without what differs between layouts and servers.
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    IF line !~ 'Layout:' THEN RETURN NEXT line; END IF;
  END LOOP;
END
$$;
-- The rows the planner expects of the node at the top, or of the first function scan below it.
CREATE FUNCTION expected(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
  plan jsonb;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
  RETURN jsonb_path_query_first(plan, '$.**? (@."Custom Plan Provider" == "doublets function")."Plan Rows"');
END
$$;

-- the first statement of a session, before anything has loaded the library
\c
EXPLAIN (COSTS OFF) SELECT * FROM doublets.outgoing('links', 1);
\c
SELECT * FROM doublets.outgoing('links', 1) ORDER BY id;
\pset null '(null)'
SELECT plan('SELECT * FROM doublets.each(''links'', NULL, 1)');
SELECT plan('SELECT w.id FROM doublets.walk(''links'', 1) AS w WHERE depth < 2');
SELECT plan('SELECT * FROM doublets.hubs(''links'')');
SELECT plan('SELECT l.id, o.target FROM links AS l, LATERAL doublets.outgoing(''links'', l.target) AS o WHERE l.id = 3');
SELECT plan('SELECT o.id FROM generate_series(1, 3) AS g LEFT JOIN LATERAL doublets.usages(''links'', g) AS o ON o.target = g AND o.id > 2');
-- conditions narrow the search
SELECT plan('SELECT id FROM doublets.outgoing(''links'', 1) WHERE target = 2::smallint AND 5 = id AND source = 1 AND id > 2');
-- what stays a scan of the executor's
SELECT plan('SELECT * FROM doublets.outgoing(''links'', 1) WITH ORDINALITY');
SELECT plan('SELECT * FROM ROWS FROM (doublets.outgoing(''links'', 1), doublets.incoming(''links'', 1))');
SELECT plan('SELECT * FROM doublets.outgoing(''links'', random()::bigint)');

-- the number of all rows is the scan's own work
SELECT plan('SELECT count(*) FROM doublets.walk(''links'', 1)');
SELECT plan('SELECT g, (SELECT 1 - count(*) FROM doublets.outgoing(''links'', g)) FROM generate_series(1, 3) AS g');
-- and an aggregate's where anything else is wanted
SELECT plan('SELECT count(*) FROM doublets.outgoing(''links'', 1) WHERE target = 2');
SELECT plan('SELECT count(*), max(id) FROM doublets.outgoing(''links'', 1)');
SELECT plan('SELECT count(*) FILTER (WHERE id > 3) FROM doublets.outgoing(''links'', 1)');
SELECT plan('SELECT count(*) FROM doublets.outgoing(''links'', 1) HAVING count(*) > 7');
SELECT plan('SELECT count(*) FROM doublets.outgoing(''links'', 1) GROUP BY target');

-- the number of rows: exact where the arguments are constants, else the average
SELECT expected('SELECT * FROM doublets.outgoing(''links'', 1)') AS outgoing, expected('SELECT * FROM doublets.incoming(''links'', 2)') AS incoming,
       expected('SELECT * FROM doublets.each(''links'')') AS every, expected('SELECT * FROM doublets.each(''links'', 5)') AS one,
       expected('SELECT * FROM doublets.each(''links'', NULL, 1, 2)') AS pair, expected('SELECT * FROM doublets.usages(''links'', 3)') AS usages,
       expected('SELECT * FROM doublets.outgoing(''links'', 1) WHERE target = 2') AS narrowed, expected('SELECT * FROM doublets.each(''links'') WHERE source = 1') AS filtered,
       expected('SELECT * FROM doublets.walk(''links'', 1, max_depth => 0)') AS start, expected('SELECT * FROM doublets.hubs(''links'', k => 1)') AS hubs;
SELECT expected('SELECT * FROM doublets.each(''links'', NULL, 1, 2) WHERE id = NULL::bigint') AS none, expected('SELECT * FROM doublets.outgoing(''links'', NULL)') AS null;
-- plans are made for stores that are not there, not readable, or locked, and for no store
SELECT plan('SELECT * FROM doublets.outgoing(NULL, 1)');
SELECT plan('SELECT * FROM doublets.outgoing(''pg_class'', 1)');
SELECT plan('SELECT * FROM doublets.outgoing(1::regclass, 1)');
SELECT problem('SELECT * FROM doublets.outgoing(NULL, 1)');
SELECT problem('SELECT * FROM doublets.outgoing(''pg_class'', 1)');
SELECT problem('SELECT * FROM doublets.outgoing(1::regclass, 1)');
-- what is not executed is not checked
SELECT * FROM (VALUES (1)) AS v(a) LEFT JOIN LATERAL doublets.outgoing(NULL, a) AS o ON a > 1 AND o.id > 0;

-- the same rows as from the table, in every kind of place
CREATE FUNCTION places() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  name text;
  condition text;
  call text;
  wanted text;
  place text;
  got text;
BEGIN
  FOR name, condition IN VALUES ('outgoing', 'l.source = g'), ('incoming', 'l.target = g'),
      ('usages', '(l.source = g OR l.target = g) AND l.id <> g'), ('each', 'l.id = g OR g IS NULL') LOOP
    call := format('doublets.%s(''links'', g)', name);
    EXECUTE format('SELECT string_agg(row(g, l)::text, '' '' ORDER BY g, l.id) FROM unnest(''{-1,0,1,2,3,7,NULL,99}''::bigint[]) AS g JOIN links AS l ON %s', condition)
      INTO wanted;
    FOREACH place IN ARRAY ARRAY[
      'SELECT g, l FROM numbers AS g, LATERAL %1$s AS l',
      'SELECT g, row(l.*)::doublets.link FROM numbers AS g JOIN LATERAL %1$s AS l ON true',
      'SELECT g, l FROM numbers AS g LEFT JOIN LATERAL %1$s AS l ON true WHERE l.id IS NOT NULL',
      'SELECT g, %1$s FROM numbers AS g',
      'SELECT g, row(l.id, l.source, l.target)::doublets.link FROM numbers AS g, LATERAL ROWS FROM (%1$s, generate_series(1, 1)) AS l WHERE l.id IS NOT NULL',
      'SELECT g, row(l.id, l.source, l.target)::doublets.link FROM numbers AS g, LATERAL %1$s WITH ORDINALITY AS l',
      'SELECT g, unnest(ARRAY(SELECT l FROM %1$s AS l)) FROM numbers AS g',
      'SELECT g, l FROM numbers AS g, LATERAL (SELECT l FROM %1$s AS l OFFSET 0) AS s(l)',
      'SELECT g, l FROM numbers AS g, LATERAL (SELECT * FROM %1$s AS l UNION ALL SELECT * FROM %1$s AS m WHERE m.id < 0) AS u, LATERAL (SELECT u::text::doublets.link) AS t(l)',
      'SELECT g, l FROM numbers AS g, LATERAL %1$s AS l WHERE EXISTS (SELECT FROM %1$s AS m WHERE m.id = l.id AND m.target = l.target)',
      'SELECT g, l FROM (SELECT g, count(*) FROM numbers AS g GROUP BY g) AS s(g), LATERAL %1$s AS l',
      'SELECT g, l FROM numbers AS g, numbers AS h, LATERAL %1$s AS l WHERE h = 1',
      'SELECT g, l FROM numbers AS g, LATERAL %1$s AS l, LATERAL doublets.each(''links'', l.id) AS again WHERE again.source = l.source AND again.target = l.target'] LOOP
      EXECUTE format('WITH numbers(g) AS MATERIALIZED (SELECT unnest(''{-1,0,1,2,3,7,NULL,99}''::bigint[])) SELECT string_agg(row(g, l)::text, '' '' ORDER BY g, (l).id) FROM ('
                     || regexp_replace(place, 'numbers AS ([gh])', 'numbers AS \1(\1)', 'g') || ') AS result(g, l)', call) INTO got;
      IF got IS DISTINCT FROM wanted THEN
        RETURN NEXT format('%s: %s instead of %s', format(place, call), got, wanted);
      END IF;
    END LOOP;
  END LOOP;
END
$$;
SELECT * FROM places();
SET enable_nestloop = off;
SELECT * FROM places();
RESET enable_nestloop;
SET force_parallel_mode = on;
SELECT * FROM places();
RESET force_parallel_mode;
SET jit_above_cost = 0;
SELECT * FROM places();
RESET jit_above_cost;

-- the number of rows is that of the rows, wherever it is asked for
CREATE FUNCTION counts() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  call text;
  place text;
  wanted text;
  got text;
BEGIN
  FOREACH call IN ARRAY ARRAY['each(''links'', g)', 'each(''links'')', 'outgoing(''links'', g)', 'incoming(''links'', g)',
      'usages(''links'', g)', 'walk(''links'', g)', 'walk(''links'', g, ''both'', 1)', 'walk(''links'', ARRAY[g, 5, 5], ''incoming'')',
      'walk(''links'', g, max_depth => 0)', 'walk(''links'', NULL::bigint[])', 'hubs(''links'', ''both'', 3)'] LOOP
    EXECUTE format('SELECT string_agg(n::text, '' '' ORDER BY g) FROM unnest(''{-1,0,1,2,3,7,NULL,99}''::bigint[]) AS g, LATERAL (SELECT sum(1) FROM doublets.%s) AS s(m), LATERAL (SELECT coalesce(m, 0)) AS t(n)', call)
      INTO wanted;
    FOREACH place IN ARRAY ARRAY[
      '(SELECT count(*) FROM doublets.%1$s)',
      '(SELECT 2 * count(*) - count(*) FROM doublets.%1$s WHERE g IS NOT NULL OR true)',
      '(SELECT c FROM (SELECT count(*) FROM doublets.%1$s) AS s(c) WHERE c >= 0)',
      '(SELECT count(*) FROM (SELECT * FROM doublets.%1$s) AS s)',
      '(SELECT max(c) FROM (SELECT count(*) FROM doublets.%1$s UNION ALL SELECT -1) AS s(c))'] LOOP
      EXECUTE format('SELECT string_agg(n::text, '' '' ORDER BY g) FROM unnest(''{-1,0,1,2,3,7,NULL,99}''::bigint[]) AS g, LATERAL (SELECT '
                     || place || ') AS s(n)', call) INTO got;
      IF got IS DISTINCT FROM wanted THEN
        RETURN NEXT format('%s: %s instead of %s', format(place, call), got, wanted);
      END IF;
    END LOOP;
  END LOOP;
END
$$;
SELECT * FROM counts();
SET force_parallel_mode = on;
SELECT * FROM counts();
RESET force_parallel_mode;
SELECT count(*), count(*) + 1 AS more, (SELECT count(*) FROM doublets.outgoing('links', 1)) FROM doublets.walk('links', 1);

-- conditions on the rows
SELECT id FROM doublets.outgoing('links', 1) WHERE target = 2 ORDER BY id;
SELECT id FROM doublets.outgoing('links', 1) WHERE source = 2;
SELECT id FROM doublets.outgoing('links', 1) WHERE target = 2 AND target = 1;
SELECT id FROM doublets.outgoing('links', 1) WHERE target = NULL;
SELECT id FROM doublets.usages('links', 2) WHERE source = 2 ORDER BY id;
SELECT id FROM doublets.usages('links', 2) WHERE target = 2 ORDER BY id;
SELECT id FROM doublets.usages('links', 2) WHERE id = 2::int;
SELECT id FROM doublets.each('links', 3) WHERE id = 4;
SELECT id FROM doublets.each('links') WHERE source = target ORDER BY id;
SELECT id FROM doublets.each('links') WHERE target = (SELECT max(target) FROM links);
SELECT g, o.id FROM generate_series(1, 3) AS g, LATERAL doublets.each('links') AS o WHERE o.source = g AND o.target = g ORDER BY g;
SELECT g, o.id FROM generate_series(1, 3) AS g, LATERAL doublets.outgoing('links', g) AS o WHERE o.target = g ORDER BY g, o.id;
SELECT id FROM doublets.walk('links', 1) WHERE id = 2;
SELECT count(*) FROM doublets.outgoing('links', 1);
SELECT target, count(*), min(id) FROM doublets.outgoing('links', 1) AS o GROUP BY target ORDER BY target;
SELECT id + 1 AS next, target, target AS again, o FROM doublets.outgoing('links', 1) AS o WHERE source = 1 ORDER BY id + target;
SELECT count(*), max(target) FROM doublets.each('links') GROUP BY source < 2 ORDER BY 1;
SELECT (SELECT sum(o.id + l.id) FROM doublets.incoming('links', l.source) AS o) FROM links AS l ORDER BY l.id;

-- stores from a column; the outer row decides
CALL make_links('others');
INSERT INTO others VALUES (1, 1, 100), (2, 1, 200);
SELECT s.store, o.* FROM (VALUES ('links'::regclass), ('others'), ('links'), ('others')) AS s(store), LATERAL doublets.outgoing(s.store, 1) AS o ORDER BY s.store::text, o.id;
SELECT problem('SELECT o.* FROM (VALUES (''links''::regclass), (NULL)) AS s(store), LATERAL doublets.outgoing(s.store, 1) AS o');

-- views, functions, prepared statements
CREATE VIEW ones AS SELECT o.*, o AS whole FROM doublets.outgoing('links', 1) AS o;
SELECT * FROM ones WHERE target = 2 ORDER BY id;
SELECT pg_get_viewdef('ones');
CREATE FUNCTION neighbours(node bigint) RETURNS TABLE (other bigint) LANGUAGE sql STABLE AS $$ SELECT o.target FROM doublets.outgoing('links', node) AS o $$;
SELECT g, n FROM generate_series(1, 3) AS g, LATERAL neighbours(g) AS n ORDER BY g, n;
DO $$
DECLARE
  r record;
  found text := '';
BEGIN
  FOR r IN SELECT * FROM doublets.outgoing('links', 1) AS o WHERE o.id > 1 ORDER BY id LOOP
    found := found || r.id || ' ';
    PERFORM FROM doublets.create_link('links', 1, 50);
  END LOOP;
  RAISE NOTICE '%', found;
END
$$;
DELETE FROM links WHERE target = 50;
PREPARE p(bigint) AS SELECT o.id FROM doublets.outgoing('links', $1) AS o ORDER BY id;
EXECUTE p(1);
SET plan_cache_mode = force_generic_plan;
EXECUTE p(1);
EXECUTE p(2);
EXECUTE p(NULL);
RESET plan_cache_mode;
-- a store that is dropped and made again is another one
PREPARE q AS SELECT count(*) FROM doublets.outgoing('others', 1);
EXECUTE q;
CALL make_links('others');
EXECUTE q;
DEALLOCATE q;
PREPARE q(text) AS SELECT count(*) FROM doublets.outgoing($1::regclass, 1);
SET plan_cache_mode = force_generic_plan;
EXECUTE q('others');
CALL make_links('others');
INSERT INTO others VALUES (1, 1, 100);
EXECUTE q('others');
TRUNCATE others;
EXECUTE q('others');
RESET plan_cache_mode;

-- cursors, savepoints, and what may be done to a store that is being read
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id FROM doublets.each('links') AS e WHERE id < 7;
SAVEPOINT a;
FETCH 2 FROM c;
ROLLBACK TO a;
DELETE FROM links WHERE id = 3;
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
SELECT problem('TRUNCATE links');
SELECT problem('DROP FOREIGN TABLE links');
FETCH ALL FROM c;
SELECT count(*) FROM doublets.each('links');
CLOSE c;
SELECT outcome('TRUNCATE links');
SELECT count(*) FROM doublets.each('links');
ROLLBACK;
-- a store first read when it had just been made, and then is not there any more
BEGIN;
DECLARE c CURSOR FOR SELECT g, (SELECT count(*) FROM doublets.outgoing('links', g)) FROM generate_series(0, 1) AS g;
SAVEPOINT a;
TRUNCATE links;
INSERT INTO links VALUES (1, 1, 9);
FETCH 1 FROM c;
ROLLBACK TO a;
FETCH ALL FROM c;
COMMIT;
BEGIN;
DECLARE h CURSOR WITH HOLD FOR SELECT id FROM doublets.outgoing('links', 1) AS o;
COMMIT;
FETCH ALL FROM h;
CLOSE h;
-- many rows; LIMIT reads few of them
INSERT INTO links SELECT 100 + i, 77, i FROM generate_series(1, 3000) AS i;
SELECT count(*), sum(id), min(target), max(target) FROM doublets.outgoing('links', 77);
SELECT count(*) FROM generate_series(1, 3) AS g, LATERAL (SELECT * FROM doublets.outgoing('links', 77) LIMIT 700) AS o;
SELECT count(*) FROM doublets.each('links') AS a JOIN doublets.usages('links', 77) AS b USING (id);
SELECT count(*), sum(w.id) FROM generate_series(1, 3) AS g, LATERAL doublets.walk('links', 77, 'outgoing', g) AS w;
SELECT count(*) FROM generate_series(0, 30) AS g, LATERAL doublets.walk('links', g % 3 * 77, 'both') AS w;

-- rows locked beside them, and changed by them
BEGIN;
SELECT l.id, o.id FROM links AS l, LATERAL doublets.outgoing('links', l.target) AS o WHERE l.id = 6 ORDER BY o.id FOR UPDATE OF l;
UPDATE links SET target = -links.target FROM doublets.outgoing('links', 1) AS o WHERE links.id = o.id RETURNING links.id, links.target, o;
DELETE FROM links USING doublets.walk('links', 3) AS w WHERE links.source = w.id RETURNING links.id;
ROLLBACK;

-- privileges are checked when a store is read, those of whoever reads
CREATE ROLE regress_doublets_reader;
GRANT SELECT ON ones TO regress_doublets_reader;
PREPARE r AS SELECT count(*) FROM doublets.outgoing('links', 1);
SET ROLE regress_doublets_reader;
SELECT problem('SELECT * FROM doublets.outgoing(''links'', 1)');
SELECT problem('SELECT * FROM ones');
SELECT problem('EXECUTE r');
SELECT plan('SELECT * FROM doublets.outgoing(''links'', 1)');
SELECT expected('SELECT * FROM doublets.outgoing(''links'', 77)') < 100 AS untold;
RESET ROLE;
GRANT SELECT ON links TO regress_doublets_reader;
REVOKE EXECUTE ON FUNCTION doublets.outgoing FROM PUBLIC;
SET ROLE regress_doublets_reader;
SELECT problem('EXECUTE r');
RESET ROLE;
GRANT EXECUTE ON FUNCTION doublets.outgoing TO PUBLIC;
SET ROLE regress_doublets_reader;
EXECUTE r;
RESET ROLE;
DROP VIEW ones;
REVOKE ALL ON links FROM regress_doublets_reader;
DROP ROLE regress_doublets_reader;
SELECT * FROM broken_links('links');
DROP FUNCTION places, expected, plan, neighbours;
CALL drop_links('others');
CALL drop_links('links');
