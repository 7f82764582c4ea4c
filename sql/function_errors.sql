-- What the functions refuse, and how they say so.
\pset null '(null)'

CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2);
CREATE TABLE heap(id bigint, source bigint, target bigint);
CREATE VIEW view AS SELECT * FROM links;

-- not a store, or none given: the same from every function
CREATE FUNCTION refused(store text) RETURNS TABLE (what text, problem text) LANGUAGE plpgsql AS $$
DECLARE
  call text;
BEGIN
  FOREACH call IN ARRAY ARRAY['create_link(%s, 1, 1)', 'create_point(%s)', 'get_or_create(%s, 1, 1)', 'update_link(%s, 1, 1, 1)',
    'delete_link(%s, 1)', 'get_link(%s, 1)', 'search_link(%s, 1, 1)', 'each(%s)', 'count_links(%s)', 'outgoing(%s, 1)',
    'incoming(%s, 1)', 'usages(%s, 1)', 'count_usages(%s, 1)', 'create_links(%s, ARRAY[1], ARRAY[1])',
    'delete_links(%s, ARRAY[1])', 'delete_usages(%s, 1)', 'rebase(%s, 1, 2)', 'store_stats(%s)', 'verify_store(%s)',
    'settle(%s)'] LOOP
    RETURN QUERY SELECT split_part(call, '(', 1), string_agg(p, ' / ')
      FROM problem(format('SELECT * FROM doublets.' || call, store)) AS p;
  END LOOP;
END
$$;
SELECT * FROM refused('NULL') ORDER BY what;
SELECT * FROM refused('''heap''') ORDER BY what;
SELECT * FROM refused('''view''') ORDER BY what;
SELECT problem($$SELECT doublets.count_links('pg_class')$$);
SELECT problem($$SELECT doublets.count_links('no_such_table')$$);
SELECT problem($$SELECT doublets.count_links(0::oid::regclass)$$);
SELECT problem($$SELECT doublets.count_links(4294967295::oid::regclass)$$);

-- NULL ends
SELECT problem($$SELECT doublets.create_link('links', NULL, 1)$$);
SELECT problem($$SELECT doublets.create_link('links', 1, NULL)$$);
SELECT problem($$SELECT doublets.get_or_create('links', NULL, 1)$$);
SELECT problem($$SELECT doublets.update_link('links', 1, 1, NULL)$$);
SELECT problem($$SELECT doublets.create_links('links', ARRAY[1, NULL], ARRAY[1, 2])$$);
SELECT problem($$SELECT doublets.create_links('links', ARRAY[1, 2], ARRAY[NULL, 2]::bigint[])$$);
SELECT problem($$SELECT doublets.create_links('links', NULL, ARRAY[1])$$);

-- arrays
SELECT problem($$SELECT doublets.create_links('links', ARRAY[1, 2], ARRAY[1])$$);
SELECT problem($$SELECT doublets.create_links('links', ARRAY[[1, 2], [3, 4]], ARRAY[[1, 2], [3, 4]])$$);
SELECT problem($$SELECT doublets.delete_links('links', ARRAY[[1], [2]])$$);

-- reading only
BEGIN READ ONLY;
SELECT doublets.count_links('links');
SELECT problem($$SELECT doublets.create_link('links', 1, 1)$$);
SELECT problem($$SELECT doublets.create_point('links')$$);
SELECT problem($$SELECT doublets.get_or_create('links', 9, 9)$$);
SELECT problem($$SELECT doublets.update_link('links', 1, 1, 1)$$);
SELECT problem($$SELECT doublets.delete_link('links', 1)$$);
SELECT problem($$SELECT doublets.create_links('links', ARRAY[1], ARRAY[1])$$);
SELECT problem($$SELECT doublets.delete_links('links', ARRAY[1])$$);
SELECT problem($$SELECT doublets.delete_usages('links', 1)$$);
SELECT problem($$SELECT doublets.rebase('links', 1, 2)$$);
SELECT problem($$SELECT doublets.create_store('other')$$);
ROLLBACK;

-- constraints of the table hold for functions as they do for SQL
INSERT INTO links VALUES (3, 1, 2);
ALTER FOREIGN TABLE links ADD CONSTRAINT small CHECK (source < 1000);
SELECT problem($$SELECT doublets.create_link('links', 1000, 1)$$);
SELECT problem($$SELECT doublets.update_link('links', 1, 1000, 1)$$);
SELECT problem($$SELECT doublets.create_links('links', ARRAY[1, 1000], ARRAY[1, 1])$$);
SELECT problem($$SELECT doublets.rebase('links', 1, 1000)$$);
SELECT * FROM links ORDER BY id;
SELECT * FROM broken_links('links');

DROP FUNCTION refused;
DROP VIEW view;
DROP TABLE heap;
CALL drop_links('links');
