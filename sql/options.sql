-- Stores made wrongly, altered, renamed: what is refused, with which hint, and that nothing is lost.
\pset null '(null)'

-- options of a store
CREATE FUNCTION make(options text, columns text DEFAULT 'id bigint, source bigint, target bigint') RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT problem(format('CREATE FOREIGN TABLE wrong (%s) SERVER doublets OPTIONS (%s)', columns, options));
  IF to_regclass('wrong') IS NOT NULL THEN
    DROP FOREIGN TABLE wrong;
  END IF;
END
$$;
SELECT make($$layout 'split'$$);
SELECT make($$layout 'united', persistence 'volatile', unique_pairs 'true', max_size '4GB'$$);
SELECT make($$layout 'splitt'$$);
SELECT make($$layout ''$$);
SELECT make($$persistence 'eternal'$$);
SELECT make($$persistence 'mapped'$$);
SELECT make($$persistence 'durable'$$);
SELECT make($$unique_pairs 'perhaps'$$);
SELECT make($$max_size 'much'$$);
SELECT make($$max_size '-1GB'$$);
SELECT make($$max_size '0'$$);
SELECT make($$max_size '12 parsecs'$$);
SELECT make($$lay_out 'split'$$);
SELECT make($$colour 'red'$$);
-- of the server, the wrapper and a user: none
SELECT problem($$CREATE SERVER other FOREIGN DATA WRAPPER doublets OPTIONS (host 'x')$$);
SELECT problem($$ALTER SERVER doublets OPTIONS (ADD layout 'split')$$);
SELECT problem($$CREATE USER MAPPING FOR CURRENT_USER SERVER doublets OPTIONS (password 'x')$$);

-- columns
SELECT make($$layout 'split'$$, 'target bigint, id bigint, source bigint');
SELECT make($$layout 'split'$$, 'id bigint, from_id bigint, to_id bigint');
SELECT make($$layout 'split'$$, $q$a bigint OPTIONS (link_part 'source'), b bigint OPTIONS (link_part 'id'), c bigint OPTIONS (link_part 'target')$q$);
SELECT make($$layout 'split'$$, 'id bigint, source bigint');
SELECT make($$layout 'split'$$, 'source bigint, target bigint');
SELECT make($$layout 'split'$$, 'id bigint, source bigint, target bigint, weight float8');
SELECT make($$layout 'split'$$, 'id bigint, source bigint, from_id bigint, target bigint');
SELECT make($$layout 'split'$$, 'id int, source bigint, target bigint');
SELECT make($$layout 'split'$$, 'id bigint, source bigint, target text');
SELECT make($$layout 'split'$$, $q$id bigint, source bigint OPTIONS (link_part 'middle'), target bigint$q$);
SELECT make($$layout 'split'$$, $q$id bigint, source bigint OPTIONS (link_part 'target'), target bigint$q$);
SELECT make($$layout 'split'$$, $q$id bigint, source bigint OPTIONS (colour 'red'), target bigint$q$);

-- through create_store
SELECT problem($$SELECT doublets.create_store('wrong', layout => 'splitt')$$);
SELECT problem($$SELECT doublets.create_store('wrong', persistence => 'durable')$$);
SELECT problem($$SELECT doublets.create_store('wrong', max_size => 'much')$$);
SELECT problem($$SELECT doublets.create_store(NULL)$$);
SELECT problem($$SELECT doublets.create_store('')$$);
SELECT problem($$SELECT doublets.create_store('a.b.c.d')$$);
SELECT problem($$SELECT doublets.create_store('no_such_schema.x')$$);
SELECT problem($$SELECT doublets.create_store('wrong; DROP TABLE x')$$);
SELECT problem($$SELECT doublets.create_store('pg_temp.wrong')$$);
SELECT problem($$CREATE FOREIGN TABLE pg_temp.wrong (id bigint, source bigint, target bigint) SERVER doublets$$);
SELECT to_regclass('wrong'), to_regclass('pg_temp.wrong');

-- the other names of columns
CREATE FOREIGN TABLE named (to_id bigint, link bigint OPTIONS (link_part 'id'), from_id bigint) SERVER doublets;
INSERT INTO named(from_id, to_id) VALUES (1, 2), (3, 4);
SELECT * FROM named ORDER BY link;
SELECT link FROM named WHERE from_id = 3 AND to_id = 4;
UPDATE named SET to_id = 5 WHERE link = 1 RETURNING *;
SELECT doublets.get_link('named', 1);
DROP FOREIGN TABLE named;
-- a name that must be quoted, in a schema of its own
CREATE SCHEMA "Odd Schema";
SELECT doublets.create_store('"Odd Schema"."Odd ""Store"""', backend());
INSERT INTO "Odd Schema"."Odd ""Store""" VALUES (1, 2, 3);
SELECT doublets.get_link('"Odd Schema"."Odd ""Store"""', 1);
SELECT name FROM doublets.stores ORDER BY name::text;
SET client_min_messages = warning;
DROP SCHEMA "Odd Schema" CASCADE;
RESET client_min_messages;
SELECT count(*) FROM doublets.stores;

-- altering a store that holds links
CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2);
SELECT backend() AS here, CASE backend() WHEN 'split' THEN 'united' ELSE 'split' END AS other \gset
SELECT replace(replace(p, :'here', 'HERE'), :'other', 'OTHER') AS problem
  FROM problem(format('ALTER FOREIGN TABLE links OPTIONS (SET layout %L)', :'other')) AS p;
SELECT problem($$ALTER FOREIGN TABLE links OPTIONS (ADD persistence 'mapped')$$);
SELECT problem($$ALTER FOREIGN TABLE links OPTIONS (ADD colour 'red')$$);
SELECT problem(format('ALTER FOREIGN TABLE links OPTIONS (SET layout %L)', :'here'));
SELECT problem($$ALTER FOREIGN TABLE links OPTIONS (ADD max_size '1GB')$$);
SELECT problem($$ALTER FOREIGN TABLE links OPTIONS (DROP max_size)$$);
SELECT * FROM links ORDER BY id;

-- a needed column renamed or dropped: an error at the next access, nothing is lost
ALTER FOREIGN TABLE links RENAME source TO origin;
SELECT problem('SELECT * FROM links');
SELECT problem('INSERT INTO links VALUES (3, 3, 3)');
SELECT problem($$SELECT doublets.count_links('links')$$);
ALTER FOREIGN TABLE links RENAME origin TO source;
SELECT * FROM links ORDER BY id;
BEGIN;
ALTER FOREIGN TABLE links DROP COLUMN target;
SAVEPOINT a;
SELECT problem('SELECT * FROM links');
ROLLBACK;
SELECT * FROM links ORDER BY id;
SELECT problem('ALTER FOREIGN TABLE links ALTER source TYPE text');
SELECT problem('SELECT * FROM links');
SELECT problem('ALTER FOREIGN TABLE links ALTER source TYPE bigint');
SELECT problem('ALTER FOREIGN TABLE links ADD COLUMN weight float8');
SELECT problem('SELECT * FROM links');
ALTER FOREIGN TABLE links DROP COLUMN weight;
ALTER FOREIGN TABLE links RENAME TO renamed;
SELECT * FROM renamed ORDER BY id;
CREATE SCHEMA elsewhere;
ALTER FOREIGN TABLE renamed SET SCHEMA elsewhere;
SELECT * FROM elsewhere.renamed ORDER BY id;
SELECT name FROM doublets.stores ORDER BY name::text;
SELECT * FROM broken_links('elsewhere.renamed');
SET client_min_messages = warning;
DROP SCHEMA elsewhere CASCADE;
RESET client_min_messages;
DROP FUNCTION make;
