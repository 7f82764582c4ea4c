-- The cases of the doublets libraries' own tests that are plain SQL, with the values observed there. Numbers are those
-- of the catalogue; the others are in conformance_store.sql. Points are inserted with explicit ends, so that the
-- files need no function; P = create a point, L(s,t) = create a link, Base = {1:(1,1), 2:(2,2), 3:(1,2)}.
\pset null '(null)'

CREATE PROCEDURE base() LANGUAGE plpgsql AS $$
BEGIN
  CALL make_links('links');
  INSERT INTO links(source, target) VALUES (1, 1), (2, 2), (1, 2);
END
$$;

-- 1. create, update twice, delete
CALL make_links('links');
INSERT INTO links(source, target) VALUES (0, 0) RETURNING id;
SELECT count(*) FROM links;
UPDATE links SET source = 1, target = 1 WHERE id = 1 RETURNING *;
UPDATE links SET source = 0, target = 0 WHERE id = 1 RETURNING *;
DELETE FROM links WHERE id = 1 RETURNING source, target;
SELECT count(*) FROM links;

-- 2. the largest values
CALL make_links('links');
INSERT INTO links(source, target) VALUES (9223372036854775807, 9223372036854775807);
SELECT id FROM links WHERE source = 9223372036854775807 AND target = 9223372036854775807;

-- 3. no such link
CALL base();
UPDATE links SET source = 5, target = 5 WHERE id = 100 RETURNING id;
UPDATE links SET source = 5, target = 5 WHERE id = 0 RETURNING id;
DELETE FROM links WHERE id = 100 RETURNING id;
DELETE FROM links WHERE id = 0 RETURNING id;
SELECT * FROM links ORDER BY id;

-- 10. [*,*,*], [1], [100]
SELECT count(*) FROM links;
SELECT count(*) FROM links WHERE id = 1;
SELECT count(*) FROM links WHERE id = 100;
-- 11. [*,1,*], [*,*,2], [*,1,2], [*,2,1]
SELECT id FROM links WHERE source = 1 ORDER BY id;
SELECT id FROM links WHERE target = 2 ORDER BY id;
SELECT id FROM links WHERE source = 1 AND target = 2 ORDER BY id;
SELECT id FROM links WHERE source = 2 AND target = 1 ORDER BY id;
-- 12. three values
SELECT count(*) FROM links WHERE id = 3 AND source = 1 AND target = 2;
SELECT count(*) FROM links WHERE id = 3 AND source = 2 AND target = 1;
SELECT count(*) FROM links WHERE id = 3 AND target = 2;
SELECT count(*) FROM links WHERE id = 3 AND target = 1;
SELECT count(*) FROM links WHERE id = 3 AND source = 1;
SELECT count(*) FROM links WHERE id = 3 AND source = 2;
SELECT count(*) FROM links WHERE id = 100;
-- 13. three links into 1
CALL make_links('links');
INSERT INTO links(source, target) VALUES (1, 1), (2, 1), (3, 1);
SELECT id FROM links WHERE target = 1 ORDER BY id;
-- 14. a limit
CALL make_links('links');
INSERT INTO links(source, target) SELECT i, i FROM generate_series(1, 10) AS i;
SELECT count(*) FROM (SELECT * FROM links LIMIT 5) AS five;

-- 15. a dangling end, updated
CALL base();
DELETE FROM links WHERE id = 2;
UPDATE links SET source = 2, target = 2 WHERE id = 3;
SELECT * FROM links ORDER BY id;
-- 16. found by an end that is no link any more
CALL base();
DELETE FROM links WHERE id = 1;
SELECT id FROM links WHERE source = 1 ORDER BY id;
SELECT id FROM links WHERE source = 1 AND target = 2 ORDER BY id;
SELECT id FROM links WHERE id = 1;
-- 17. in both directions
CALL base();
INSERT INTO links(source, target) VALUES (1, 10), (10, 1);
DELETE FROM links WHERE id = 1;
SELECT id FROM links WHERE target = 1 ORDER BY id;

-- 18. usages: links that use the id, itself excluded
CREATE FUNCTION usages_of(node bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT count(*) FROM links WHERE (source = node OR target = node) AND id <> node
$$;
CALL base();
INSERT INTO links(source, target) VALUES (4, 4);
SELECT usages_of(1), usages_of(2), usages_of(4);
-- 19. thirty targets
CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1);
INSERT INTO links SELECT 1 + i, 1 + i, 1 + i FROM generate_series(1, 30) AS i;
INSERT INTO links SELECT 100 + i, 1, 1 + i FROM generate_series(1, 30) AS i;
SELECT usages_of(1);
DELETE FROM links WHERE id BETWEEN 101 AND 115;
SELECT usages_of(1);
-- 20. the uses of a root deleted
CALL make_links('links');
INSERT INTO links(source, target) VALUES (1, 1), (2, 2), (3, 3), (2, 1), (3, 1);
SELECT count(*) FROM links;
DELETE FROM links WHERE (source = 1 OR target = 1) AND id <> 1;
SELECT * FROM links ORDER BY id;
-- 21. (v,v), (v,o), (o,v)
CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2), (3, 1, 2), (4, 2, 1);
SELECT id FROM links WHERE (source = 1 OR target = 1) AND id <> 1 ORDER BY id;
-- 22. rebase
CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2), (3, 3, 1), (4, 1, 4);
UPDATE links SET source = CASE source WHEN 1 THEN 2 ELSE source END, target = CASE target WHEN 1 THEN 2 ELSE target END
  WHERE (source = 1 OR target = 1) AND id <> 1;
SELECT * FROM links WHERE id IN (3, 4) ORDER BY id;

-- 25. cycles of creation and deletion; the model is an ordinary table
CALL make_links('links');
CREATE TEMP TABLE model(id bigint PRIMARY KEY, source bigint, target bigint);
SELECT setseed(0.25);
DO $$
DECLARE
  l record;
  wrong int := 0;
BEGIN
  FOR i IN 1..1000 LOOP
    IF random() < 0.6 THEN
      INSERT INTO links(source, target) VALUES (floor(random() * 40), floor(random() * 40)) RETURNING * INTO l;
      INSERT INTO model VALUES (l.id, l.source, l.target);
    ELSE
      SELECT * INTO l FROM model ORDER BY id OFFSET floor(random() * (SELECT count(*) FROM model)) LIMIT 1;
      DELETE FROM links WHERE id = l.id;
      DELETE FROM model WHERE id = l.id;
    END IF;
    wrong := wrong + ((SELECT count(*) FROM links) <> (SELECT count(*) FROM model))::int;
  END LOOP;
  IF wrong > 0 THEN
    RAISE EXCEPTION '% counts differ', wrong;
  END IF;
END
$$;
SELECT count(*) FROM ((TABLE links EXCEPT TABLE model) UNION ALL (TABLE model EXCEPT TABLE links)) AS differences;
DELETE FROM links;
SELECT count(*) FROM links;
DROP TABLE model;

-- 26. a mesh of ten nodes, a bipartite graph of five and five
CALL make_links('links');
INSERT INTO links(source, target) SELECT i, i FROM generate_series(1, 10) AS i;
INSERT INTO links(source, target) SELECT i, j FROM generate_series(1, 10) AS i, generate_series(1, 10) AS j WHERE i < j;
SELECT count(*) FROM generate_series(1, 10) AS i, generate_series(1, 10) AS j
  WHERE i < j AND EXISTS (SELECT FROM links WHERE source = i AND target = j);
CALL make_links('links');
INSERT INTO links(source, target) SELECT i, j FROM generate_series(1, 5) AS i, generate_series(6, 10) AS j;
SELECT count(*) FILTER (WHERE EXISTS (SELECT FROM links WHERE source = i AND target = j)) AS edges,
       count(*) FILTER (WHERE EXISTS (SELECT FROM links WHERE source = j AND target = i)) AS reverse
FROM generate_series(1, 5) AS i, generate_series(6, 10) AS j;

-- 27. a hundred links, every second deleted
CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1);
INSERT INTO links SELECT 1 + i, 1, 1000 + i FROM generate_series(1, 100) AS i;
DELETE FROM links WHERE id > 1 AND id % 2 = 0;
SELECT usages_of(1);

-- 28. repeated updates of links that are no points
CALL make_links('links');
INSERT INTO links(source, target) SELECT i, 1 + i % 20 FROM generate_series(1, 20) AS i;
CREATE TEMP TABLE model AS SELECT * FROM links;
DO $$
BEGIN
  FOR i IN 1..4 LOOP
    UPDATE links SET source = 1 + (id + i) % 20, target = 1 + (id * i) % 20 WHERE id IN (3, 7, 11);
    UPDATE model SET source = 1 + (id + i) % 20, target = 1 + (id * i) % 20 WHERE id IN (3, 7, 11);
    UPDATE links SET source = 0, target = 0 WHERE id IN (3, 7, 11);
    UPDATE links SET source = m.source, target = m.target FROM model AS m WHERE m.id = links.id;
  END LOOP;
END
$$;
SELECT count(*) FROM ((TABLE links EXCEPT TABLE model) UNION ALL (TABLE model EXCEPT TABLE links)) AS differences;
SELECT * FROM links WHERE id IN (3, 7, 11) ORDER BY id;
SELECT * FROM broken_links('links');

DROP FUNCTION usages_of;
DROP PROCEDURE base;
CALL drop_links('links');
