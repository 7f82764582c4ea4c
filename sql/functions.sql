-- The functions: what they return, NULL arguments, arrays, and that they see and change the same links as SQL does.
\pset null '(null)'

CALL make_links('links');

-- create and read
SELECT doublets.create_link('links', 0, 0);
SELECT doublets.create_point('links');
SELECT doublets.create_link('links', 1, 2) AS a, doublets.create_link('links', 1, 2) AS b;
SELECT doublets.create_link('links', -9223372036854775808, 9223372036854775807);
SELECT * FROM links ORDER BY id;
SELECT doublets.get_link('links', 3), pg_typeof(doublets.get_link('links', 3));
SELECT (doublets.get_link('links', 5)).*;
SELECT doublets.get_link('links', 99), doublets.get_link('links', 0), doublets.get_link('links', NULL);
SELECT doublets.get_or_create('links', 1, 2), doublets.get_or_create('links', 2, 1), doublets.get_or_create('links', 2, 1);
SELECT count(*) FROM links;

-- search: the smallest id, NULL stands for any
SELECT doublets.search_link('links', 1, 2) AS pair, doublets.search_link('links', 1, NULL) AS of, doublets.search_link('links', NULL, 2) AS into,
       doublets.search_link('links') AS any, doublets.search_link('links', 7, 7) AS none, doublets.search_link('links', target => 1) AS named;

-- each and count: NULL stands for any
SELECT * FROM doublets.each('links') ORDER BY id;
SELECT * FROM doublets.each('links', id => 3);
SELECT * FROM doublets.each('links', NULL, 1) ORDER BY id;
SELECT * FROM doublets.each('links', NULL, NULL, 2) ORDER BY id;
SELECT * FROM doublets.each('links', NULL, 1, 2) ORDER BY id;
SELECT * FROM doublets.each('links', 4, 1, 2);
SELECT * FROM doublets.each('links', 4, 2, 1);
SELECT * FROM doublets.each('links', 99);
SELECT doublets.count_links('links') AS all, doublets.count_links('links', 3) AS id, doublets.count_links('links', NULL, 1) AS of,
       doublets.count_links('links', target => 2) AS into, doublets.count_links('links', NULL, 1, 2) AS pair,
       doublets.count_links('links', 3, 1, 2) AS three, doublets.count_links('links', 3, 2, 2) AS wrong, doublets.count_links('links', source => 77) AS none;
SELECT p, doublets.count_links('links', source => p) FROM generate_series(0, 3) AS p ORDER BY p;

-- outgoing and incoming are source = and target =, links to itself included
CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2), (3, 1, 2), (4, 2, 1), (5, 1, 2), (6, 5, 3), (7, 3, 3);
SELECT * FROM doublets.outgoing('links', 1) ORDER BY id;
SELECT * FROM doublets.incoming('links', 1) ORDER BY id;
SELECT * FROM doublets.outgoing('links', 99);
SELECT * FROM doublets.outgoing('links', NULL);
SELECT * FROM doublets.incoming('links', NULL);
SELECT g, o.id FROM generate_series(1, 3) AS g, LATERAL doublets.outgoing('links', g) AS o ORDER BY g, o.id;
SELECT count(*) FROM doublets.outgoing('links', 1) AS a, LATERAL doublets.outgoing('links', a.target) AS b;
-- usages leave the link itself out
SELECT * FROM doublets.usages('links', 1) ORDER BY id;
SELECT * FROM doublets.usages('links', 3) ORDER BY id;
SELECT * FROM doublets.usages('links', NULL);
SELECT i, doublets.count_usages('links', i) FROM generate_series(0, 8) AS i ORDER BY i;
SELECT doublets.count_usages('links', NULL);

-- update and delete: was there such a link
SELECT doublets.update_link('links', 3, 7, 8), doublets.update_link('links', 99, 7, 8), doublets.update_link('links', NULL, 7, 8);
SELECT doublets.get_link('links', 3);
SELECT doublets.delete_link('links', 3), doublets.delete_link('links', 3), doublets.delete_link('links', NULL), doublets.delete_link('links', 0);
SELECT count(*) FROM links;

-- many at once
CALL make_links('links');
SELECT doublets.create_links('links', ARRAY[5, 6, 7], ARRAY[50, 60, 70]);
SELECT doublets.create_links('links', '{}', '{}'), doublets.delete_links('links', '{}');
SELECT doublets.create_links('links', ARRAY[5, 5], ARRAY[50, 50]);
SELECT * FROM links ORDER BY id;
SELECT doublets.delete_links('links', ARRAY[1, 1, 99, 2]);
SELECT doublets.delete_links('links', ARRAY[1, 3, NULL]);
SELECT doublets.delete_links('links', NULL);
SELECT * FROM links ORDER BY id;
SELECT array_length(doublets.create_links('links', array_agg(i), array_agg(-i)), 1) FROM generate_series(1, 3000) AS i;
SELECT count(*), count(DISTINCT id), sum(source + target) FROM links WHERE source <= 3000 AND target < 0;

-- delete_usages and rebase
CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2), (3, 1, 2), (4, 2, 1), (5, 1, 9), (6, 3, 3), (7, 8, 8);
SELECT doublets.delete_usages('links', 1);
SELECT * FROM links ORDER BY id;
SELECT doublets.delete_usages('links', 1), doublets.delete_usages('links', 99), doublets.delete_usages('links', NULL);
INSERT INTO links VALUES (3, 1, 2), (4, 2, 1), (5, 1, 9);
SELECT doublets.rebase('links', 1, 2);
SELECT * FROM links ORDER BY id;
SELECT doublets.rebase('links', 2, 2), doublets.rebase('links', 99, 1), doublets.rebase('links', NULL, 1), doublets.rebase('links', 1, NULL);
-- a value that is no link
SELECT doublets.rebase('links', 9, 10);
SELECT * FROM links ORDER BY id;

-- in transactions they are like SQL
BEGIN;
SELECT doublets.create_link('links', 100, 100) > 0 AS created;
SELECT doublets.update_link('links', 1, 11, 11), doublets.delete_link('links', 2);
SELECT count(*) FROM links WHERE source = 100;
SAVEPOINT a;
SELECT doublets.delete_usages('links', 2) > 0 AS deleted;
ROLLBACK TO a;
SELECT doublets.count_usages('links', 2);
ROLLBACK;
SELECT * FROM links ORDER BY id;
-- a reading function sees what the statement that calls it sees, a later statement sees more
SELECT doublets.create_link('links', 200, i) > 0 AS created, doublets.count_links('links', source => 200) FROM generate_series(1, 3) AS i;
SELECT doublets.count_links('links', source => 200);
DO $$
DECLARE
  made bigint;
BEGIN
  FOR i IN 1..100 LOOP
    made := doublets.get_or_create('links', 300, i % 10);
    IF NOT EXISTS (SELECT FROM links WHERE id = made AND source = 300 AND target = i % 10) THEN
      RAISE EXCEPTION 'link % cannot be seen', made;
    END IF;
  END LOOP;
END
$$;
SELECT count(*) FROM links WHERE source = 300;

-- the row type
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'doublets.link'::regclass AND attnum > 0 ORDER BY attnum;

-- what is known about stores
SELECT name::text, layout = backend() AS layout, persistence, links FROM doublets.stores WHERE name::text = 'links';
SELECT layout = backend() AS layout, persistence, links = (SELECT count(*) FROM links) AS links, used_bytes > 0 AS used, allocated_bytes >= used_bytes AS allocated, chunks > 0 AS chunks
  FROM doublets.store_stats('links');
SELECT doublets.settle('links') >= 0 AS settled;
SELECT * FROM doublets.verify_store('links');
CALL drop_links('links');
