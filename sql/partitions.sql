-- Tables of links as partitions and as inheritance children.
\set VERBOSITY sqlstate
\pset null '(null)'

CREATE TABLE parent(id bigint, source bigint NOT NULL, target bigint NOT NULL) PARTITION BY RANGE (source);
CALL make_links('low');
CALL make_links('high');
ALTER TABLE parent ATTACH PARTITION low FOR VALUES FROM (MINVALUE) TO (100);
ALTER TABLE parent ATTACH PARTITION high FOR VALUES FROM (100) TO (MAXVALUE);
INSERT INTO parent VALUES (1, 5, 6), (2, 500, 6), (3, -5, 7) RETURNING tableoid::regclass, *;
INSERT INTO parent SELECT 10 + i, i * 30, i FROM generate_series(1, 6) AS i;
SELECT tableoid::regclass, * FROM parent ORDER BY id;
SELECT tableoid::regclass, id FROM parent WHERE source = 500;
SELECT id FROM parent WHERE target = 6 ORDER BY id;
SELECT id FROM parent WHERE source = ANY ('{5,500,600}') ORDER BY id;
WITH u AS (UPDATE parent SET target = target + 1 WHERE target = 6 RETURNING tableoid::regclass, *) SELECT * FROM u ORDER BY id;
DELETE FROM parent WHERE source = 30 RETURNING id;
SELECT count(*), min(source), max(source) FROM parent;
-- a row a partition would not take
INSERT INTO low VALUES (50, 100, 1);
INSERT INTO high VALUES (50, 99, 1);
COPY parent FROM stdin;
60	1	1
61	1000	1
\.
SELECT tableoid::regclass, id FROM parent WHERE id >= 60 ORDER BY id;
BEGIN;
INSERT INTO parent VALUES (70, 1, 1), (71, 1000, 1);
DELETE FROM parent WHERE source > 0;
SELECT count(*) FROM parent;
ROLLBACK;
SELECT count(*) FROM parent;
TRUNCATE parent;
SELECT count(*) FROM parent;
ALTER TABLE parent DETACH PARTITION low;
INSERT INTO low VALUES (80, 8, 8);
SELECT count(*) FROM parent;
SELECT * FROM low;
SELECT * FROM broken_links('low');
SELECT * FROM broken_links('high');
DROP TABLE parent CASCADE;
CALL drop_links('low');
CALL drop_links('high');

-- inheritance: a heap parent with a child of links
CREATE TABLE family(id bigint, source bigint NOT NULL, target bigint NOT NULL);
CALL make_links('child');
ALTER TABLE child INHERIT family;
INSERT INTO family VALUES (1, 1, 1);
INSERT INTO child VALUES (2, 1, 2), (3, 3, 3);
SELECT tableoid::regclass, * FROM family ORDER BY id;
SELECT id FROM ONLY family ORDER BY id;
SELECT id FROM family WHERE source = 1 ORDER BY id;
WITH u AS (UPDATE family SET target = 10 WHERE source = 1 RETURNING tableoid::regclass, *) SELECT * FROM u ORDER BY id;
WITH u AS (
  UPDATE family SET source = f.k FROM (VALUES (2, 20), (3, 30)) AS f(i, k) WHERE family.id = f.i RETURNING family.*)
SELECT * FROM u ORDER BY id;
WITH d AS (DELETE FROM family WHERE target = 10 RETURNING id) SELECT id FROM d ORDER BY id;
SELECT * FROM child ORDER BY id;
ALTER TABLE child NO INHERIT family;
DROP TABLE family;
SELECT * FROM broken_links('child');
CALL drop_links('child');
