SELECT 'dangling references stay queryable';
INSERT INTO links (id, source, target) VALUES (1000001, 1000001, 1000001), (1000002, 1000002, 1000002), (1000003, 1000001, 1000002);
DELETE FROM links WHERE id = 1000001;
SELECT * FROM links ORDER BY id;
SELECT id FROM links WHERE source = 1000001 ORDER BY id;
SELECT id FROM links WHERE source = 1000001 AND target = 1000002 ORDER BY id;
UPDATE links SET source = 1000002 WHERE id = 1000003;
SELECT * FROM links ORDER BY id;
SELECT 'duplicates are ordinary';
INSERT INTO links (id, source, target) VALUES (1000004, 1000002, 1000002), (1000005, 1000002, 1000002);
SELECT id FROM links WHERE source = 1000002 AND target = 1000002 ORDER BY id;
WITH gone AS (DELETE FROM links WHERE source = 1000002 AND target = 1000002 AND id > 1000003 RETURNING id)
SELECT id FROM gone ORDER BY id;
SELECT 'rollback, savepoints, own changes';
BEGIN;
INSERT INTO links (id, source, target) VALUES (1000010, 5000000, 5000001);
SELECT count(*) FROM links WHERE source = 5000000;
SAVEPOINT one;
UPDATE links SET target = 5000002 WHERE id = 1000010;
DELETE FROM links WHERE id = 1000002;
SELECT * FROM links ORDER BY id;
ROLLBACK TO one;
SELECT * FROM links ORDER BY id;
INSERT INTO links (id, source, target) VALUES (1000010, 1, 1);
ROLLBACK;
SELECT * FROM links ORDER BY id;
SELECT 'a statement does not see what it inserts';
INSERT INTO links (source, target) SELECT source + 10, target + 10 FROM links;
SELECT source, target FROM links ORDER BY source, target;
SELECT 'a failing statement leaves nothing';
INSERT INTO links (source, target) SELECT n, 100 / (n - 6000003) FROM generate_series(6000001, 6000005) AS n;
SELECT count(*) FROM links WHERE source > 6000000;
SELECT 'changes through joins and data-modifying WITH';
UPDATE links SET target = pick.new FROM (VALUES (1000002, 8000001), (1000003, 8000002)) AS pick (old_id, new)
WHERE links.id = pick.old_id;
SELECT * FROM links WHERE id IN (1000002, 1000003) ORDER BY id;
WITH gone AS (DELETE FROM links WHERE target > 8000000 RETURNING source, target)
SELECT source, target FROM gone ORDER BY 1, 2;
DELETE FROM links USING generate_series(1000010, 1000013) AS n WHERE links.source = n;
SELECT count(*) FROM links;
SELECT 'COPY';
COPY links (source, target) FROM stdin;
7000001	7000002
7000001	7000003
\.
COPY (SELECT source, target FROM links WHERE source = 7000001 ORDER BY target) TO stdout;
SELECT 'many links, every second deleted';
INSERT INTO links (source, target) SELECT 4000000, 4000000 + n FROM generate_series(1, 2000) AS n;
DELETE FROM links WHERE source = 4000000 AND target % 2 = 0;
SELECT count(*), min(target), max(target), sum(target) FROM links WHERE source = 4000000;
UPDATE links SET source = 4000001 WHERE source = 4000000 AND target % 4 = 1;
SELECT source, count(*), sum(target) FROM links WHERE source IN (4000000, 4000001) GROUP BY source ORDER BY source;
SELECT 'mesh and bipartite';
INSERT INTO links (source, target) SELECT 9000000 + a, 9000000 + b FROM generate_series(1, 10) AS a, generate_series(1, 10) AS b
WHERE a < b;
SELECT count(*) FROM links WHERE source BETWEEN 9000001 AND 9000010;
SELECT count(*) FROM generate_series(1, 10) AS a, generate_series(1, 10) AS b
WHERE EXISTS (SELECT FROM links WHERE source = 9000000 + a AND target = 9000000 + b);
SELECT count(*) FROM links WHERE source = 9000010 AND target = 9000001;
