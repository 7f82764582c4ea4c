-- What the catalogue says of the extension: every function's signature, volatility, strictness, parallel safety, comment.
BEGIN;

-- The public functions: arguments, result, and whether they write.
CREATE TEMP TABLE wanted(name text, arguments text, result text, writes boolean);
INSERT INTO wanted VALUES
  ('create_store', 'text, text, text, boolean, text', 'regclass', true),
  ('create_link', 'regclass, bigint, bigint', 'bigint', true),
  ('create_point', 'regclass', 'bigint', true),
  ('get_or_create', 'regclass, bigint, bigint', 'bigint', true),
  ('update_link', 'regclass, bigint, bigint, bigint', 'boolean', true),
  ('delete_link', 'regclass, bigint', 'boolean', true),
  ('get_link', 'regclass, bigint', 'doublets.link', false),
  ('search_link', 'regclass, bigint, bigint', 'bigint', false),
  ('each', 'regclass, bigint, bigint, bigint', 'SETOF doublets.link', false),
  ('count_links', 'regclass, bigint, bigint, bigint', 'bigint', false),
  ('outgoing', 'regclass, bigint', 'SETOF doublets.link', false),
  ('incoming', 'regclass, bigint', 'SETOF doublets.link', false),
  ('usages', 'regclass, bigint', 'SETOF doublets.link', false),
  ('count_usages', 'regclass, bigint', 'bigint', false),
  ('create_links', 'regclass, bigint[], bigint[]', 'bigint[]', true),
  ('delete_links', 'regclass, bigint[]', 'bigint', true),
  ('delete_usages', 'regclass, bigint', 'bigint', true),
  ('rebase', 'regclass, bigint, bigint', 'bigint', true),
  ('walk', 'regclass, bigint, text, integer', 'TABLE(id bigint, depth integer, via bigint)', false),
  ('walk', 'regclass, bigint[], text, integer', 'TABLE(id bigint, depth integer, via bigint)', false),
  ('reachable', 'regclass, bigint, bigint, text', 'boolean', false),
  ('shortest_path', 'regclass, bigint, bigint, text', 'bigint[]', false),
  ('hubs', 'regclass, text, bigint', 'TABLE(id bigint, degree bigint)', false);
-- What looks at the store itself, not at a snapshot of it: its answer may change within a statement.
CREATE TEMP TABLE wanted_of_store(name text, arguments text);
INSERT INTO wanted_of_store VALUES ('store_stats', 'regclass'), ('verify_store', 'regclass'), ('settle', 'regclass');

CREATE TEMP VIEW present AS
SELECT p.oid, p.proname::text AS name, oidvectortypes(p.proargtypes) AS arguments, pg_get_function_result(p.oid) AS result,
       p.provolatile AS volatility, p.proisstrict AS strict, p.proparallel AS parallel, p.prosecdef AS definer,
       p.proconfig AS config, l.lanname::text AS language, p.proretset AS setof, p.prorows AS rows, p.procost AS cost
FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
WHERE p.pronamespace = 'doublets'::regnamespace;

SELECT plan((SELECT 7 * count(*) FROM wanted)::int + (SELECT 3 * count(*) FROM wanted_of_store)::int + 15);

SELECT has_extension('doublets');
SELECT has_schema('doublets');
SELECT is((SELECT count(*)::int FROM pg_foreign_server WHERE srvname = 'doublets'), 1, 'server doublets exists');
SELECT has_type('doublets', 'link', 'row type doublets.link');
SELECT is(array_agg(format('%s %s', attname, atttypid::regtype) ORDER BY attnum), ARRAY['id bigint', 'source bigint', 'target bigint'],
  'doublets.link is (id, source, target)') FROM pg_attribute WHERE attrelid = 'doublets.link'::regclass AND attnum > 0;
SELECT has_view('doublets', 'stores', 'view doublets.stores');
SELECT is((SELECT NOT extrelocatable FROM pg_extension WHERE extname = 'doublets'), true, 'the extension keeps its schema');
SELECT is((SELECT bool_or(trusted) FROM pg_available_extension_versions WHERE name = 'doublets'), false,
  'the extension is not trusted: shared memory is for those an administrator names');

SELECT has_function('doublets', name, string_to_array(arguments, ', '), format('%s(%s)', name, arguments)) FROM wanted ORDER BY name;
SELECT is(p.result, w.result, w.name || ' returns') FROM wanted AS w LEFT JOIN present AS p USING (name, arguments) ORDER BY w.name;
SELECT is(p.volatility::text, CASE WHEN w.writes THEN 'v' ELSE 's' END, w.name || ': volatility')
  FROM wanted AS w LEFT JOIN present AS p USING (name, arguments) ORDER BY w.name;
-- A NULL store is an error, so none may be skipped for a NULL.
SELECT is(p.strict, false, w.name || ' is called with NULL') FROM wanted AS w LEFT JOIN present AS p USING (name, arguments) ORDER BY w.name;
SELECT is(CASE WHEN w.writes THEN p.parallel = 'u' ELSE p.parallel IN ('s', 'r') END, true, w.name || ': parallel safety')
  FROM wanted AS w LEFT JOIN present AS p USING (name, arguments) ORDER BY w.name;
SELECT isnt(obj_description(p.oid, 'pg_proc'), NULL, w.name || ' has a comment')
  FROM wanted AS w LEFT JOIN present AS p USING (name, arguments) ORDER BY w.name;
-- Work is done with the caller's rights.
SELECT is(p.definer, false, w.name || ' runs as its caller') FROM wanted AS w LEFT JOIN present AS p USING (name, arguments) ORDER BY w.name;

SELECT has_function('doublets', name, string_to_array(arguments, ', '), format('%s(%s)', name, arguments)) FROM wanted_of_store ORDER BY name;
SELECT is(p.volatility::text, 'v', w.name || ': volatility') FROM wanted_of_store AS w LEFT JOIN present AS p USING (name, arguments) ORDER BY w.name;
SELECT isnt(obj_description(p.oid, 'pg_proc'), NULL, w.name || ' has a comment')
  FROM wanted_of_store AS w LEFT JOIN present AS p USING (name, arguments) ORDER BY w.name;

-- Nothing else is offered without saying what it is.
SELECT is(array_agg(name ORDER BY name) FILTER (WHERE obj_description(oid, 'pg_proc') IS NULL), NULL,
  'every function of the schema has a comment') FROM present;
SELECT is(array_agg(name ORDER BY name) FILTER (WHERE definer AND config IS NULL), NULL,
  'no SECURITY DEFINER function without a search_path of its own') FROM present;
SELECT is(array_agg(name ORDER BY name) FILTER (WHERE setof AND rows = 1000), NULL,
  'no set function keeps the default of a thousand rows unthought') FROM present WHERE name IN (SELECT name FROM wanted);
SELECT isnt(obj_description('doublets.stores'::regclass, 'pg_class'), NULL, 'the view stores has a comment');
SELECT isnt(obj_description('doublets.link'::regtype, 'pg_type'), NULL, 'the type link has a comment');
SELECT isnt((SELECT obj_description(oid, 'pg_foreign_server') FROM pg_foreign_server WHERE srvname = 'doublets'), NULL,
  'the server has a comment');
SELECT isnt((SELECT obj_description(oid, 'pg_foreign_data_wrapper') FROM pg_foreign_data_wrapper WHERE fdwname = 'doublets'), NULL,
  'the wrapper has a comment');

SELECT * FROM finish();
ROLLBACK;
