-- One error of each kind of the table in the manual, by SQLSTATE, through SQL and through functions.
BEGIN;
SELECT no_plan();

CREATE FOREIGN TABLE split_links (id bigint, source bigint, target bigint) SERVER doublets OPTIONS (layout 'split', unique_pairs 'true');
CREATE FOREIGN TABLE united_links (id bigint, source bigint, target bigint) SERVER doublets OPTIONS (layout 'united', unique_pairs 'true');
CREATE TABLE heap(id bigint, source bigint, target bigint);
INSERT INTO split_links VALUES (1, 1, 1), (2, 2, 2);
INSERT INTO united_links VALUES (1, 1, 1), (2, 2, 2);

-- %1$s stands for the store
CREATE TEMP TABLE cases(state text, statement text);
INSERT INTO cases VALUES
  ('23505', 'INSERT INTO %1$s VALUES (1, 5, 5)'),
  ('23505', 'INSERT INTO %1$s VALUES (5, 1, 1)'),
  ('23505', 'INSERT INTO %1$s(source, target) VALUES (1, 1)'),
  ('23505', 'INSERT INTO %1$s VALUES (5, 5, 5), (5, 6, 6)'),
  ('23505', 'UPDATE %1$s SET id = 2 WHERE id = 1'),
  ('23505', 'UPDATE %1$s SET source = 2, target = 2 WHERE id = 1'),
  ('23505', 'SELECT doublets.create_link(''%1$s'', 1, 1)'),
  ('23505', 'SELECT doublets.update_link(''%1$s'', 1, 2, 2)'),
  ('23505', 'SELECT doublets.create_links(''%1$s'', ARRAY[5, 5], ARRAY[5, 5])'),
  ('23502', 'INSERT INTO %1$s VALUES (5, NULL, 5)'),
  ('23502', 'INSERT INTO %1$s VALUES (5, 5, NULL)'),
  ('23502', 'INSERT INTO %1$s DEFAULT VALUES'),
  ('23502', 'UPDATE %1$s SET source = NULL'),
  ('23502', 'UPDATE %1$s SET id = NULL'),
  ('23502', 'SELECT doublets.create_link(''%1$s'', NULL, 1)'),
  ('23502', 'SELECT doublets.create_link(''%1$s'', 1, NULL)'),
  ('23502', 'SELECT doublets.get_or_create(''%1$s'', 1, NULL)'),
  ('23502', 'SELECT doublets.update_link(''%1$s'', 1, NULL, 1)'),
  ('23502', 'SELECT doublets.create_links(''%1$s'', ARRAY[NULL]::bigint[], ARRAY[1])'),
  ('22003', 'INSERT INTO %1$s VALUES (0, 5, 5)'),
  ('22003', 'INSERT INTO %1$s VALUES (-1, 5, 5)'),
  ('22003', 'UPDATE %1$s SET id = 0 WHERE id = 1'),
  ('22003', 'INSERT INTO %1$s VALUES (9223372036854775808, 5, 5)'),
  ('2202E', 'SELECT doublets.create_links(''%1$s'', ARRAY[1], ARRAY[1, 2])'),
  ('2202E', 'SELECT doublets.create_links(''%1$s'', ARRAY[[1, 2]], ARRAY[[1, 2]])'),
  ('2202E', 'SELECT doublets.delete_links(''%1$s'', ARRAY[[1, 2]])'),
  ('2202E', 'SELECT doublets.walk(''%1$s'', ARRAY[[1, 2]])'),
  ('22023', 'SELECT doublets.walk(''%1$s'', 1, ''up'')'),
  ('22023', 'SELECT doublets.walk(''%1$s'', 1, ''both'', -1)'),
  ('22023', 'SELECT doublets.reachable(''%1$s'', 1, 2, ''up'')'),
  ('22023', 'SELECT doublets.shortest_path(''%1$s'', 1, 2, ''up'')'),
  ('22023', 'SELECT doublets.hubs(''%1$s'', ''up'')'),
  ('22023', 'SELECT doublets.hubs(''%1$s'', k => -1)'),
  ('42703', 'SELECT weight FROM %1$s'),
  ('2BP01', 'DROP SERVER doublets');
SELECT throws_ok(format(statement, store), state, NULL, format(statement, store))
  FROM cases, unnest(ARRAY['split_links', 'united_links']) AS store ORDER BY store, statement;

-- no store, or not one
SELECT throws_ok('SELECT doublets.count_links(NULL)', '22004', NULL, 'a NULL store');
SELECT throws_ok('SELECT doublets.create_link(NULL, 1, 1)', '22004', NULL, 'a NULL store');
SELECT throws_ok('SELECT * FROM doublets.each(NULL)', '22004', NULL, 'a NULL store, in FROM');
SELECT throws_ok('SELECT doublets.count_links(''heap'')', '42809', NULL, 'a heap table');
SELECT throws_ok('SELECT * FROM doublets.outgoing(''heap'', 1)', '42809', NULL, 'a heap table, in FROM');
SELECT throws_ok('SELECT doublets.settle(''pg_class'')', '42809', NULL, 'a catalogue');
SELECT throws_ok('SELECT doublets.count_links(''nowhere'')', '42P01', NULL, 'no relation');

-- options and columns
SELECT throws_ok($$CREATE FOREIGN TABLE w (id bigint, source bigint, target bigint) SERVER doublets OPTIONS (colour 'red')$$,
  'HV00D', NULL, 'an unknown option');
SELECT throws_ok($$CREATE FOREIGN TABLE w (id bigint, source bigint, target bigint) SERVER doublets OPTIONS (layout 'flat')$$,
  '22023', NULL, 'an unknown layout');
SELECT throws_ok($$CREATE FOREIGN TABLE w (id bigint, source bigint, target bigint) SERVER doublets OPTIONS (max_size 'much')$$,
  '22023', NULL, 'a size that is none');
SELECT throws_ok('CREATE FOREIGN TABLE w (id bigint, source bigint) SERVER doublets', '42703', NULL, 'a column is missing');
SELECT throws_ok('CREATE FOREIGN TABLE w (id bigint, source bigint, target bigint, x bigint) SERVER doublets', '42703', NULL, 'a column too many');
SELECT throws_ok('CREATE FOREIGN TABLE w (id bigint, source int, target bigint) SERVER doublets', '42804', NULL, 'a type that is not bigint');
SELECT throws_ok($$CREATE FOREIGN TABLE w (id bigint, source bigint, target bigint) SERVER doublets OPTIONS (persistence 'durable')$$,
  '0A000', NULL, 'durable is not built yet');
SELECT throws_ok('CREATE FOREIGN TABLE pg_temp.w (id bigint, source bigint, target bigint) SERVER doublets', '0A000', NULL, 'a temporary schema');
SELECT throws_ok($$ALTER FOREIGN TABLE split_links OPTIONS (SET layout 'united')$$, '55000', NULL, 'another layout for a live store');

-- and nothing was changed by any of these
SELECT results_eq('SELECT * FROM split_links ORDER BY id', $$VALUES (1::bigint, 1::bigint, 1::bigint), (2, 2, 2)$$, 'split is as it was');
SELECT results_eq('SELECT * FROM united_links ORDER BY id', $$VALUES (1::bigint, 1::bigint, 1::bigint), (2, 2, 2)$$, 'united is as it was');
SELECT is_empty($$SELECT * FROM doublets.verify_store('split_links')$$, 'split is sound');
SELECT is_empty($$SELECT * FROM doublets.verify_store('united_links')$$, 'united is sound');

SELECT * FROM finish();
ROLLBACK;
