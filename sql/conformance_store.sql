-- The cases of the doublets libraries' own tests through the functions (the others: conformance.sql, store_ids.sql).
-- P = create a point, L(s,t) = create a link, Base = {1:(1,1), 2:(2,2), 3:(1,2)}.
\pset null '(null)'

CREATE PROCEDURE base() LANGUAGE plpgsql AS $$
BEGIN
  CALL make_links('links');
  PERFORM doublets.create_point('links');
  PERFORM doublets.create_point('links');
  PERFORM doublets.create_link('links', 1, 2);
END
$$;

-- 1. create, update, delete
CALL make_links('links');
SELECT doublets.create_link('links', 0, 0), doublets.count_links('links');
SELECT doublets.update_link('links', 1, 1, 1), doublets.update_link('links', 1, 0, 0), doublets.delete_link('links', 1);
SELECT doublets.count_links('links');
-- 2. the largest values
SELECT doublets.create_link('links', 1, 1) IS NOT NULL AS created;
SELECT doublets.update_link('links', min(id), 9223372036854775807, 9223372036854775807) FROM links;
SELECT count(*) FROM doublets.each('links', NULL, 9223372036854775807, 9223372036854775807);
-- 3. no such link
CALL base();
SELECT doublets.update_link('links', 100, 5, 5), doublets.update_link('links', 0, 5, 5), doublets.delete_link('links', 100), doublets.delete_link('links', 0);
SELECT * FROM doublets.each('links') ORDER BY id;

-- 10. to 12. queries on Base
SELECT doublets.count_links('links') AS "[*,*,*]", doublets.count_links('links', 1) AS "[1]", doublets.count_links('links', 100) AS "[100]";
SELECT id FROM doublets.each('links', NULL, 1, NULL) ORDER BY id;
SELECT id FROM doublets.each('links', NULL, NULL, 2) ORDER BY id;
SELECT id FROM doublets.each('links', NULL, 1, 2) ORDER BY id;
SELECT id FROM doublets.each('links', NULL, 2, 1) ORDER BY id;
SELECT doublets.count_links('links', 3, 1, 2) AS "[3,1,2]", doublets.count_links('links', 3, 2, 1) AS "[3,2,1]",
       doublets.count_links('links', 3, NULL, 2) AS "[3,*,2]", doublets.count_links('links', 3, NULL, 1) AS "[3,*,1]",
       doublets.count_links('links', 3, 1, NULL) AS "[3,1,*]", doublets.count_links('links', 3, 2, NULL) AS "[3,2,*]",
       doublets.count_links('links', 100, NULL, NULL) AS "[100,*,*]";
-- 13. three links into 1
CALL make_links('links');
SELECT doublets.create_link('links', 1, 1), doublets.create_link('links', 2, 1), doublets.create_link('links', 3, 1);
SELECT id FROM doublets.incoming('links', 1) ORDER BY id;
-- 14. a limit
CALL make_links('links');
SELECT array_length(doublets.create_links('links', array_agg(i), array_agg(i)), 1) FROM generate_series(1, 10) AS i;
SELECT count(*) FROM (SELECT * FROM doublets.each('links') LIMIT 5) AS five;

-- 15. to 17. dangling
CALL base();
SELECT doublets.delete_link('links', 2), doublets.update_link('links', 3, 2, 2);
SELECT * FROM doublets.each('links') ORDER BY id;
CALL base();
SELECT doublets.delete_link('links', 1);
SELECT id FROM doublets.each('links', NULL, 1) ORDER BY id;
SELECT id FROM doublets.each('links', NULL, 1, 2) ORDER BY id;
SELECT doublets.get_link('links', 1);
CALL base();
SELECT doublets.create_link('links', 1, 10), doublets.create_link('links', 10, 1), doublets.delete_link('links', 1);
SELECT id FROM doublets.incoming('links', 1) ORDER BY id;

-- 18. usages
CALL base();
SELECT doublets.count_usages('links', 1), doublets.count_usages('links', 2), doublets.count_usages('links', doublets.create_point('links'));
-- 19. a base with thirty targets
CALL make_links('links');
SELECT doublets.create_point('links');
SELECT count(doublets.create_link('links', 1, doublets.create_point('links'))) FROM generate_series(1, 30);
SELECT doublets.count_usages('links', 1);
SELECT doublets.delete_links('links', (SELECT array_agg(id) FROM (SELECT id FROM doublets.usages('links', 1) ORDER BY id LIMIT 15) AS half));
SELECT doublets.count_usages('links', 1);
-- 20. delete the usages of a root
CALL make_links('links');
SELECT doublets.create_point('links'), doublets.create_point('links'), doublets.create_point('links');
SELECT doublets.create_link('links', 2, 1), doublets.create_link('links', 3, 1), doublets.count_links('links');
SELECT doublets.delete_usages('links', 1), doublets.count_links('links');
-- 21. usages leave the link itself out
CALL make_links('links');
SELECT doublets.create_point('links'), doublets.create_point('links'), doublets.create_link('links', 1, 2), doublets.create_link('links', 2, 1);
SELECT * FROM doublets.usages('links', 1) ORDER BY id;
-- 22. rebase
CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2), (3, 3, 1), (4, 1, 4);
SELECT doublets.rebase('links', 1, 2);
SELECT * FROM links ORDER BY id;
-- 23. rebase that changes nothing
SELECT doublets.rebase('links', 2, 2), doublets.rebase('links', 99, 1);
SELECT * FROM links ORDER BY id;

-- 25. cycles with the functions; the model is an ordinary table
CALL make_links('links');
CREATE TEMP TABLE model(id bigint PRIMARY KEY, source bigint, target bigint);
SELECT setseed(0.25);
DO $$
DECLARE
  l record;
  wrong int := 0;
BEGIN
  FOR i IN 1..1500 LOOP
    IF random() < 0.6 THEN
      INSERT INTO model SELECT doublets.create_link('links', s, t), s, t
        FROM (SELECT floor(random() * 40)::bigint AS s, floor(random() * 40)::bigint AS t) AS x;
    ELSE
      SELECT * INTO l FROM model ORDER BY id OFFSET floor(random() * (SELECT count(*) FROM model)) LIMIT 1;
      wrong := wrong + (doublets.delete_link('links', l.id) <> (l.id IS NOT NULL))::int;
      DELETE FROM model WHERE id = l.id;
    END IF;
    wrong := wrong + (doublets.count_links('links') <> (SELECT count(*) FROM model))::int;
    IF i % 100 = 0 THEN
      PERFORM doublets.settle('links');
      wrong := wrong + (SELECT count(*) FROM model AS m WHERE doublets.count_links('links', NULL, m.source, m.target) <>
        (SELECT count(*) FROM model AS o WHERE (o.source, o.target) = (m.source, m.target)));
    END IF;
  END LOOP;
  IF wrong > 0 THEN
    RAISE EXCEPTION '% answers differ', wrong;
  END IF;
END
$$;
SELECT count(*) FROM ((SELECT * FROM doublets.each('links') EXCEPT TABLE model) UNION ALL (TABLE model EXCEPT SELECT * FROM doublets.each('links'))) AS differences;
SELECT doublets.delete_links('links', array_agg(id)) = count(*) AS deleted FROM model;
SELECT doublets.count_links('links');
DROP TABLE model;
SELECT * FROM broken_links('links');

-- 26. a mesh of ten nodes, a bipartite graph of five and five
CALL make_links('links');
SELECT count(doublets.create_point('links')) FROM generate_series(1, 10);
SELECT count(doublets.create_link('links', i, j)) FROM generate_series(1, 10) AS i, generate_series(1, 10) AS j WHERE i < j;
SELECT count(doublets.search_link('links', i, j)) FROM generate_series(1, 10) AS i, generate_series(1, 10) AS j WHERE i < j;
CALL make_links('links');
SELECT count(doublets.create_link('links', i, j)) FROM generate_series(1, 5) AS i, generate_series(6, 10) AS j;
SELECT count(doublets.search_link('links', i, j)) AS edges, count(doublets.search_link('links', j, i)) AS reverse
  FROM generate_series(1, 5) AS i, generate_series(6, 10) AS j;
-- 27. a hundred links, every second deleted
CALL make_links('links');
SELECT doublets.create_point('links');
SELECT count(doublets.create_link('links', 1, 1000 + i)) FROM generate_series(1, 100) AS i;
SELECT doublets.delete_links('links', array_agg(id)) FROM links WHERE id > 1 AND id % 2 = 0;
SELECT doublets.count_usages('links', 1);

DROP PROCEDURE base;
CALL drop_links('links');
