-- INSERT and what is stored: assigned and explicit ids, any bigint as an end, duplicates, RETURNING.
\set VERBOSITY sqlstate
\pset null '(null)'

CALL make_links('links');

-- ids are assigned from 1 upwards, in the order of the rows
INSERT INTO links(source, target) VALUES (0, 0) RETURNING id, source, target;
INSERT INTO links(source, target) VALUES (1, 2), (1, 2), (2, 1) RETURNING *;
INSERT INTO links(target, source) VALUES (30, 20) RETURNING source, target, id;
INSERT INTO links SELECT 100 + i, i, -i FROM generate_series(1, 3) AS i RETURNING id + 1 AS next, source * 2 AS twice;
SELECT * FROM links ORDER BY id;
SELECT count(*) FROM links;

-- duplicates are two links
SELECT id FROM links WHERE source = 1 AND target = 2 ORDER BY id;

-- expressions, sub-selects and system columns in RETURNING
INSERT INTO links(source, target) VALUES (7, 8)
  RETURNING tableoid::regclass, (SELECT count(*) FROM generate_series(1, source) AS g), source + target;

-- any bigint may be an end, a link need not exist to be referred to
CALL make_links('links');
INSERT INTO links(source, target) VALUES
  (0, 0), (-1, -1), (1000000, 2000000), (9223372036854775807, -9223372036854775808),
  (-9223372036854775808, 9223372036854775807), (6, 6);
SELECT * FROM links ORDER BY id;
SELECT id FROM links WHERE source = 0 ORDER BY id;
SELECT id FROM links WHERE target = -1 ORDER BY id;
SELECT id FROM links WHERE source = 9223372036854775807 AND target = -9223372036854775808 ORDER BY id;
SELECT id FROM links WHERE source = -9223372036854775808 ORDER BY id;
SELECT id FROM links WHERE target = 9223372036854775807 ORDER BY id;
INSERT INTO links(source, target) VALUES (9223372036854775808, 0);
SELECT count(*) FROM links;

-- explicit ids, sparse ones included
CALL make_links('links');
INSERT INTO links VALUES (9223372036854775807, 1, 1), (1000000000000, 2, 2), (5000, 3, 3), (77, 4, 4) RETURNING id;
SELECT * FROM links ORDER BY id;
SELECT * FROM links WHERE id = 9223372036854775807;
SELECT * FROM links WHERE id = 1000000000000;
SELECT * FROM links WHERE id = 1000000000001;
SELECT * FROM links WHERE id = 78;
-- they do not move the ids that are assigned
INSERT INTO links(source, target) VALUES (5, 5), (6, 6) RETURNING id;
SELECT min(id), max(id), count(*) FROM links;

-- a taken id
INSERT INTO links VALUES (77, 9, 9);
INSERT INTO links VALUES (9223372036854775807, 9, 9);
INSERT INTO links VALUES (78, 9, 9), (79, 9, 9), (78, 9, 9);
SELECT * FROM links WHERE source = 9 ORDER BY id;
-- one that was deleted may be given again
DELETE FROM links WHERE id IN (77, 1000000000000);
INSERT INTO links VALUES (77, 10, 11), (1000000000000, 12, 13) RETURNING *;
-- within one transaction too
BEGIN;
DELETE FROM links WHERE id = 77;
INSERT INTO links VALUES (77, 20, 21);
DELETE FROM links WHERE id = 77;
INSERT INTO links VALUES (77, 30, 31);
SELECT * FROM links WHERE id = 77;
COMMIT;
SELECT * FROM links WHERE id = 77;
SELECT * FROM broken_links('links');

-- a NULL end changes nothing
INSERT INTO links VALUES (90, NULL, 1);
INSERT INTO links VALUES (90, 1, NULL);
INSERT INTO links VALUES (90, 1, 1), (91, 1, NULL);
INSERT INTO links(source) VALUES (1);
INSERT INTO links SELECT 200 + i, i, NULLIF(i, 3) FROM generate_series(1, 3) AS i;
SELECT * FROM links WHERE id BETWEEN 90 AND 300 ORDER BY id;

-- a value that is no bigint
INSERT INTO links VALUES (92, 1.5, 2.5) RETURNING *;
INSERT INTO links VALUES (93, 'x', 1);

-- ON CONFLICT DO NOTHING without an arbiter
INSERT INTO links VALUES (77, 1, 1) ON CONFLICT DO NOTHING RETURNING *;
INSERT INTO links VALUES (77, 1, 1), (400, 1, 1), (400, 2, 2), (401, 3, 3) ON CONFLICT DO NOTHING RETURNING *;
SELECT * FROM links WHERE id IN (77, 400, 401) ORDER BY id;

-- DEFAULT VALUES has no ends to give
INSERT INTO links DEFAULT VALUES;

-- many rows in one statement, more than one batch
CALL make_links('links');
INSERT INTO links(source, target) SELECT i, i % 10 FROM generate_series(1, 2500) AS i;
SELECT count(*), count(DISTINCT id), min(id), max(id), sum(source), sum(target) FROM links;
SELECT target, count(*) FROM links GROUP BY target ORDER BY target;
INSERT INTO links VALUES (5001, 1, 1), (5002, 1, 1), (5003, 1, 1) RETURNING id;
INSERT INTO links SELECT 6000 + i, i, i FROM generate_series(1, 300) AS i ON CONFLICT DO NOTHING;
INSERT INTO links SELECT 6000 + i, i, i FROM generate_series(1, 305) AS i ON CONFLICT DO NOTHING RETURNING id;
SELECT count(*) FROM links;
SELECT * FROM broken_links('links');
CALL drop_links('links');
