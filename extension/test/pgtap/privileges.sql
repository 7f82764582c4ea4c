-- Who may do what: USAGE of the server makes stores, the table's own privileges rule SQL and functions alike.
BEGIN;
SELECT plan(102);

CREATE ROLE regress_doublets_owner;
CREATE ROLE regress_doublets_user;
CREATE ROLE regress_doublets_monitor;
GRANT pg_monitor TO regress_doublets_monitor;
CREATE SCHEMA owned AUTHORIZATION regress_doublets_owner;
GRANT USAGE ON SCHEMA owned TO PUBLIC;

-- Runs a statement as a role: 'ok', or the SQLSTATE and whether a hint names GRANT USAGE.
CREATE FUNCTION pg_temp.as_role(who text, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  hint text;
BEGIN
  EXECUTE format('SET LOCAL ROLE %I', who);
  EXECUTE statement;
  RESET ROLE;
  RETURN 'ok';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
  RESET ROLE;
  RETURN SQLSTATE || CASE WHEN hint LIKE '%GRANT USAGE ON FOREIGN SERVER doublets TO%' THEN ' with hint' ELSE '' END;
END
$$;

-- the server: nobody's by default, the schema: everybody's
SELECT is(has_schema_privilege('regress_doublets_user', 'doublets', 'USAGE'), true, 'schema doublets: USAGE to PUBLIC');
SELECT is(has_schema_privilege('regress_doublets_user', 'doublets', 'CREATE'), false, 'schema doublets: CREATE to nobody');
SELECT is(has_server_privilege('regress_doublets_owner', 'doublets', 'USAGE'), false, 'server doublets: USAGE to nobody');
SELECT is(pg_temp.as_role('regress_doublets_owner', $$SELECT doublets.create_store('owned.links')$$), '42501 with hint',
  'create_store without USAGE of the server says what to grant');
SELECT is(left(pg_temp.as_role('regress_doublets_owner',
  'CREATE FOREIGN TABLE owned.links (id bigint, source bigint, target bigint) SERVER doublets'), 5), '42501',
  'CREATE FOREIGN TABLE without USAGE of the server');
GRANT USAGE ON FOREIGN SERVER doublets TO regress_doublets_owner;
SELECT is(pg_temp.as_role('regress_doublets_owner', $$SELECT doublets.create_store('owned.links')$$), 'ok',
  'create_store with USAGE of the server');
SELECT is((SELECT relowner::regrole::text FROM pg_class WHERE oid = 'owned.links'::regclass), 'regress_doublets_owner', 'the caller owns it');
GRANT USAGE ON FOREIGN SERVER doublets TO regress_doublets_user;
SELECT is(pg_temp.as_role('regress_doublets_user', $$SELECT doublets.create_store('owned.other')$$), '42501',
  'create_store needs CREATE in the schema, as CREATE TABLE does');
REVOKE USAGE ON FOREIGN SERVER doublets FROM regress_doublets_user;

INSERT INTO owned.links VALUES (1, 1, 1), (2, 2, 2), (3, 1, 2);
SELECT is(pg_temp.as_role('regress_doublets_owner', 'SELECT * FROM owned.links'), 'ok', 'the owner reads');

-- each command and function with the one privilege it needs
CREATE TEMP TABLE needs(privilege text, statement text);
INSERT INTO needs VALUES
  ('SELECT', 'SELECT * FROM owned.links'),
  ('SELECT', 'SELECT count(*) FROM owned.links WHERE source = 1'),
  ('SELECT', $$SELECT doublets.get_link('owned.links', 1)$$),
  ('SELECT', $$SELECT doublets.search_link('owned.links', 1, 1)$$),
  ('SELECT', $$SELECT * FROM doublets.each('owned.links')$$),
  ('SELECT', $$SELECT doublets.count_links('owned.links')$$),
  ('SELECT', $$SELECT * FROM doublets.outgoing('owned.links', 1)$$),
  ('SELECT', $$SELECT * FROM doublets.incoming('owned.links', 1)$$),
  ('SELECT', $$SELECT * FROM doublets.usages('owned.links', 1)$$),
  ('SELECT', $$SELECT doublets.count_usages('owned.links', 1)$$),
  ('SELECT', $$SELECT * FROM doublets.walk('owned.links', 1)$$),
  ('SELECT', $$SELECT doublets.walk('owned.links', ARRAY[1])$$),
  ('SELECT', $$SELECT doublets.reachable('owned.links', 1, 1)$$),
  ('SELECT', $$SELECT * FROM doublets.hubs('owned.links')$$),
  ('SELECT', $$SELECT doublets.shortest_path('owned.links', 1, 2)$$),
  ('SELECT', $$SELECT * FROM doublets.store_stats('owned.links')$$),
  ('INSERT', 'INSERT INTO owned.links VALUES (10, 1, 1)'),
  ('INSERT', 'INSERT INTO owned.links(source, target) VALUES (1, 1)'),
  ('INSERT', $$SELECT doublets.create_link('owned.links', 1, 1)$$),
  ('INSERT', $$SELECT doublets.create_point('owned.links')$$),
  ('INSERT', $$SELECT doublets.create_links('owned.links', ARRAY[1], ARRAY[1])$$),
  ('UPDATE', 'UPDATE owned.links SET source = 5'),
  ('DELETE', 'DELETE FROM owned.links'),
  ('TRUNCATE', 'TRUNCATE owned.links');
-- a statement that finds its rows by a condition reads them too
CREATE TEMP TABLE needs_two(privilege text, statement text);
INSERT INTO needs_two VALUES
  ('UPDATE', $$SELECT doublets.update_link('owned.links', 1, 5, 5)$$),
  ('UPDATE', $$SELECT doublets.rebase('owned.links', 1, 2)$$),
  ('UPDATE', 'UPDATE owned.links SET source = 5 WHERE id = 1'),
  ('DELETE', $$SELECT doublets.delete_link('owned.links', 1)$$),
  ('DELETE', $$SELECT doublets.delete_links('owned.links', ARRAY[1])$$),
  ('DELETE', $$SELECT doublets.delete_usages('owned.links', 1)$$),
  ('DELETE', 'DELETE FROM owned.links WHERE id = 1'),
  ('INSERT', $$SELECT doublets.get_or_create('owned.links', 1, 1)$$),
  ('INSERT', 'INSERT INTO owned.links VALUES (11, 1, 1) RETURNING *');

-- With all privileges but one: refused. With those needed alone: allowed. Each attempt is undone.
CREATE FUNCTION pg_temp.attempt(granted text, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  BEGIN
    REVOKE ALL ON owned.links FROM regress_doublets_user;
    EXECUTE format('GRANT %s ON owned.links TO regress_doublets_user', granted);
    result := pg_temp.as_role('regress_doublets_user', statement);
    RAISE EXCEPTION USING errcode = 'P0099';
  EXCEPTION WHEN SQLSTATE 'P0099' THEN
    RETURN result;
  END;
END
$$;
CREATE FUNCTION pg_temp.all_but(privilege text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(p, ', ') FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS p WHERE p <> privilege
$$;
SELECT is(pg_temp.attempt(pg_temp.all_but(privilege), statement), '42501', 'without ' || privilege || ': ' || statement) FROM needs;
SELECT is(pg_temp.attempt(privilege, statement), 'ok', 'with ' || privilege || ' alone: ' || statement) FROM needs;
SELECT is(pg_temp.attempt(pg_temp.all_but(privilege), statement), '42501', 'without ' || privilege || ': ' || statement) FROM needs_two;
SELECT is(pg_temp.attempt(pg_temp.all_but('SELECT'), statement), '42501', 'without SELECT: ' || statement) FROM needs_two;
SELECT is(pg_temp.attempt(privilege || ', SELECT', statement), 'ok', 'with ' || privilege || ' and SELECT: ' || statement) FROM needs_two;
SELECT is((SELECT count(*)::int FROM owned.links), 3, 'nothing was changed');

-- columns
GRANT SELECT (id, source), UPDATE (target) ON owned.links TO regress_doublets_user;
SELECT is(pg_temp.as_role('regress_doublets_user', 'SELECT id FROM owned.links WHERE source = 1'), 'ok', 'columns that are granted');
SELECT is(pg_temp.as_role('regress_doublets_user', 'SELECT target FROM owned.links'), '42501', 'a column that is not');
SELECT is(pg_temp.as_role('regress_doublets_user', 'SELECT id FROM owned.links WHERE target = 1'), '42501', 'nor in a condition');
SELECT is(pg_temp.as_role('regress_doublets_user', 'UPDATE owned.links SET target = 1 WHERE id = 1'), 'ok', 'a column to be changed');
SELECT is(pg_temp.as_role('regress_doublets_user', 'UPDATE owned.links SET source = 1 WHERE id = 1'), '42501', 'and one not to be');
SELECT is(pg_temp.as_role('regress_doublets_user', $$SELECT doublets.get_link('owned.links', 1)$$), '42501',
  'functions work on whole links');
REVOKE ALL ON owned.links FROM regress_doublets_user;

-- what others may learn and do
SELECT is(pg_temp.as_role('regress_doublets_monitor', $$SELECT * FROM doublets.store_stats('owned.links')$$), 'ok', 'pg_monitor sees the numbers');
SELECT is(pg_temp.as_role('regress_doublets_monitor', $$SELECT doublets.get_link('owned.links', 1)$$), '42501', 'but not the links');
SELECT is(pg_temp.as_role('regress_doublets_user', $$SELECT * FROM doublets.store_stats('owned.links')$$), '42501', 'others do not');
SELECT is(pg_temp.as_role('regress_doublets_user', $$SELECT * FROM doublets.verify_store('owned.links')$$), '42501', 'nor do they verify');
SELECT is(pg_temp.as_role('regress_doublets_user', $$SELECT doublets.settle('owned.links')$$), '42501', 'nor settle');
SELECT is(pg_temp.as_role('regress_doublets_user', 'DROP FOREIGN TABLE owned.links'), '42501', 'only its owner drops a store');
SELECT is(pg_temp.as_role('regress_doublets_owner', 'DROP FOREIGN TABLE owned.links'), 'ok', 'who may');

-- a view lends its owner's rights to SQL
SELECT is(pg_temp.as_role('regress_doublets_owner', $$SELECT doublets.create_store('owned.links')$$), 'ok', 'a store again');
SELECT is(pg_temp.as_role('regress_doublets_owner', 'CREATE VIEW owned.seen AS SELECT * FROM owned.links'), 'ok', 'and a view of it');
GRANT SELECT ON owned.seen TO regress_doublets_user;
SELECT is(pg_temp.as_role('regress_doublets_user', 'SELECT * FROM owned.seen WHERE source = 1'), 'ok', 'read through the view');
SELECT is(pg_temp.as_role('regress_doublets_user', 'SELECT * FROM owned.links WHERE source = 1'), '42501', 'not without it');

SELECT * FROM finish();
ROLLBACK;
