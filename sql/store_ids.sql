-- Ids that a store assigns: NULL asks for one, taken ones are skipped, those of deleted links are used again. Cases 4 to 9
-- of the conformance catalogue are here.
\set VERBOSITY sqlstate
\pset null '(null)'

-- NULL and DEFAULT ask for an id
CALL make_links('links');
INSERT INTO links VALUES (NULL, 1, 1), (DEFAULT, 2, 2) RETURNING *;
INSERT INTO links SELECT NULL, i, i FROM generate_series(3, 4) AS i RETURNING id;
COPY links FROM stdin;
\N	5	5
\.
SELECT * FROM links ORDER BY id;

-- taken ids are skipped
CALL make_links('links');
INSERT INTO links VALUES (2, 0, 0), (3, 0, 0), (5, 0, 0);
INSERT INTO links(source, target) SELECT i, i FROM generate_series(1, 4) AS i RETURNING id;
-- a huge explicit id does not move the ids that are assigned, nor does it cost memory for those between
CALL make_links('links');
INSERT INTO links VALUES (9223372036854775807, 0, 0), (9223372036854775806, 0, 0), (4000000000, 0, 0);
INSERT INTO links(source, target) VALUES (1, 1), (2, 2) RETURNING id;
SELECT allocated_bytes < 16777216 AS small, links FROM doublets.store_stats('links');

-- ids below 1
SELECT problem('INSERT INTO links VALUES (0, 1, 1)');
SELECT problem('INSERT INTO links VALUES (-1, 1, 1)');
SELECT problem('INSERT INTO links VALUES (-9223372036854775808, 1, 1)');
SELECT problem('UPDATE links SET id = 0 WHERE id = 1');
SELECT problem('UPDATE links SET id = -5 WHERE id = 1');
SELECT problem('UPDATE links SET id = NULL WHERE id = 1');
SELECT problem('INSERT INTO links VALUES (1, 1, 1)');
SELECT problem('UPDATE links SET id = 2 WHERE id = 1');
SELECT problem('INSERT INTO links VALUES (50, NULL, 1)');
SELECT problem('UPDATE links SET target = NULL WHERE id = 1');
SELECT * FROM links WHERE id < 100 ORDER BY id;

-- 4. three points, the second deleted: its id comes next
CALL make_links('links');
INSERT INTO links(source, target) VALUES (1, 1), (2, 2), (3, 3);
DELETE FROM links WHERE id = 2;
CALL settle_links('links');
INSERT INTO links(source, target) VALUES (0, 0) RETURNING id;
-- 5. the second and the third deleted
DELETE FROM links WHERE id = 2;
DELETE FROM links WHERE id = 3;
SELECT count(*) FROM links;
-- 6. the last deleted comes first
CALL make_links('links');
INSERT INTO links(source, target) SELECT i, i FROM generate_series(1, 5) AS i;
DELETE FROM links WHERE id = 2;
CALL settle_links('links');
DELETE FROM links WHERE id = 4;
CALL settle_links('links');
INSERT INTO links(source, target) VALUES (0, 0) RETURNING id;
INSERT INTO links(source, target) VALUES (0, 0) RETURNING id;
INSERT INTO links(source, target) VALUES (0, 0) RETURNING id;
-- 7. all deleted: from 1 again
DELETE FROM links;
CALL settle_links('links');
INSERT INTO links(source, target) VALUES (0, 0) RETURNING id;
-- 8. twenty rounds of: a, b, delete a, c = a's id, delete b, delete c
CALL make_links('links');
CREATE PROCEDURE rounds() LANGUAGE plpgsql AS $$
DECLARE
  a bigint;
  b bigint;
  c bigint;
BEGIN
  FOR i IN 1..20 LOOP
    a := doublets.create_link('links', i, i);
    COMMIT;
    b := doublets.create_link('links', i, i);
    COMMIT;
    DELETE FROM links WHERE id = a;
    COMMIT;
    CALL settle_links('links');
    c := doublets.create_link('links', 0, 0);
    IF c <> a THEN
      RAISE EXCEPTION 'round %: % instead of %', i, c, a;
    END IF;
    COMMIT;
    DELETE FROM links WHERE id = b;
    DELETE FROM links WHERE id = c;
    COMMIT;
    CALL settle_links('links');
  END LOOP;
END
$$;
CALL rounds();
DROP PROCEDURE rounds;
SELECT count(*) FROM links;
-- an id is not used again while a deleted version may still be seen
INSERT INTO links(source, target) VALUES (1, 1), (2, 2);
BEGIN;
DELETE FROM links WHERE id = 1;
INSERT INTO links(source, target) VALUES (9, 9) RETURNING id;
ROLLBACK;
SELECT * FROM links WHERE source < 9 ORDER BY id;
-- those of rolled back links are
CALL make_links('links');
BEGIN;
INSERT INTO links(source, target) SELECT i, i FROM generate_series(1, 10) AS i;
ROLLBACK;
CALL settle_links('links');
INSERT INTO links(source, target) VALUES (1, 1) RETURNING id;
-- TRUNCATE starts again
TRUNCATE links;
INSERT INTO links(source, target) VALUES (1, 1) RETURNING id;

-- 9. one million points
CALL make_links('links');
INSERT INTO links SELECT i, i, i FROM generate_series(1, 1000000) AS i;
SELECT count(*) FROM links;
SELECT * FROM links WHERE id IN (1, 500000, 1000000) ORDER BY id;
SELECT doublets.get_link('links', 500000);
SELECT count(*) FROM links WHERE source = 999999 AND target = 999999;
SELECT links FROM doublets.store_stats('links');
SELECT * FROM broken_links('links');
CALL drop_links('links');
