-- Stores with unique_pairs: a second live link with the same ends is an error, whichever way it would come about.
-- Case 24 of the conformance catalogue is here.
\pset null '(null)'

SELECT doublets.create_store('pairs', layout => backend(), unique_pairs => true);
INSERT INTO pairs VALUES (1, 1, 1), (2, 2, 2), (3, 1, 2);

-- 24. Base, then (1,2) again
SELECT problem('INSERT INTO pairs(source, target) VALUES (1, 2)');
SELECT problem($$SELECT doublets.create_link('pairs', 1, 2)$$);
SELECT doublets.get_or_create('pairs', 1, 2);
SELECT count(*) FROM pairs;

SELECT problem('INSERT INTO pairs VALUES (10, 2, 1), (11, 2, 1)');
SELECT problem('UPDATE pairs SET source = 1 WHERE id = 2');
SELECT problem('UPDATE pairs SET source = 7, target = 7');
SELECT problem($$SELECT doublets.update_link('pairs', 2, 1, 2)$$);
SELECT problem($$SELECT doublets.create_links('pairs', ARRAY[5, 5], ARRAY[5, 5])$$);
SELECT problem($$SELECT doublets.rebase('pairs', 2, 1)$$);
SELECT * FROM pairs ORDER BY id;

-- to itself, and to what another one leaves
UPDATE pairs SET source = 1, target = 2 WHERE id = 3 RETURNING *;
UPDATE pairs SET id = 30 WHERE id = 3 RETURNING *;
INSERT INTO pairs(source, target) VALUES (1, 2) ON CONFLICT DO NOTHING RETURNING *;
INSERT INTO pairs VALUES (40, 1, 2), (41, 4, 1), (42, 4, 1) ON CONFLICT DO NOTHING RETURNING *;
DELETE FROM pairs WHERE id = 30;
INSERT INTO pairs VALUES (31, 1, 2) RETURNING *;
BEGIN;
DELETE FROM pairs WHERE id = 31;
INSERT INTO pairs VALUES (32, 1, 2) RETURNING *;
ROLLBACK;
BEGIN;
UPDATE pairs SET source = 8 WHERE id = 31;
INSERT INTO pairs VALUES (33, 1, 2) RETURNING *;
COMMIT;
SELECT * FROM pairs ORDER BY id;
-- a rolled back one does not count
BEGIN;
INSERT INTO pairs VALUES (50, 50, 50);
ROLLBACK;
INSERT INTO pairs VALUES (51, 50, 50) RETURNING *;
-- twice in one statement is one link
SELECT count(DISTINCT doublets.get_or_create('pairs', 60, i % 3)) FROM generate_series(1, 9) AS i;
SELECT count(*) FROM pairs WHERE source = 60;
SELECT * FROM broken_links('pairs');
DROP FOREIGN TABLE pairs;

-- without the option duplicates are links of their own, and get_or_create finds one of them
CALL make_links('links');
INSERT INTO links VALUES (1, 1, 2), (2, 1, 2);
SELECT doublets.get_or_create('links', 1, 2) IN (1, 2) AS found, doublets.get_or_create('links', 2, 1);
SELECT count(*) FROM links;
CALL drop_links('links');
