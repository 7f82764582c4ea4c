-- Conditions: equality in both argument orders and with every integer type, lists, ranges, NULLs, ordering, aggregates.
\pset null '(null)'

CALL make_links('links');
INSERT INTO links(source, target) SELECT i % 5, i / 5 FROM generate_series(0, 19) AS i;
INSERT INTO links VALUES (1000, -7, 70000), (1001, 5000000000, -7), (1002, 32767, 2147483647);
ANALYZE links;

-- both argument orders, int2, int4, int8
SELECT id FROM links WHERE id = 3::int2;
SELECT id FROM links WHERE id = 3::int4;
SELECT id FROM links WHERE id = 3::int8;
SELECT id FROM links WHERE 3::int2 = id;
SELECT id FROM links WHERE 3::int4 = id;
SELECT id FROM links WHERE 3::int8 = id;
SELECT id FROM links WHERE source = 4::int2 ORDER BY id;
SELECT id FROM links WHERE 4::int4 = source ORDER BY id;
SELECT id FROM links WHERE source = 4::int8 ORDER BY id;
SELECT id FROM links WHERE target = 2::int2 ORDER BY id;
SELECT id FROM links WHERE 2::int2 = target ORDER BY id;
SELECT id FROM links WHERE 2 = target AND source = 3::int2 ORDER BY id;
SELECT id FROM links WHERE source = 32767::int2 AND 2147483647 = target;
SELECT id FROM links WHERE source = -7::int2 ORDER BY id;
SELECT id FROM links WHERE 5000000000 = source ORDER BY id;
SELECT id FROM links WHERE target = -7 ORDER BY id;
-- not integers
SELECT id FROM links WHERE source = 3.0 AND target = 1.0 ORDER BY id;
SELECT id FROM links WHERE source = 3.5 ORDER BY id;
SELECT id FROM links WHERE source::text = '3' AND target < 2 ORDER BY id;

-- conditions on two and three columns, contradictions, repetitions
SELECT id FROM links WHERE id = 9 AND source = 3 AND target = 1;
SELECT id FROM links WHERE id = 9 AND source = 4;
SELECT id FROM links WHERE id = 9 AND target = 2;
SELECT id FROM links WHERE source = 3 AND source = 4;
SELECT id FROM links WHERE source = 3 AND source = 3::int2 AND target = 0;
SELECT id FROM links WHERE id = 4 AND id = 5;
SELECT id FROM links WHERE source = target ORDER BY id;
SELECT id FROM links WHERE id = source ORDER BY id;
SELECT id FROM links WHERE source = 3 AND id % 2 = 0 ORDER BY id;
SELECT id FROM links WHERE (source, target) = (2, 3);
SELECT id FROM links WHERE (source, target) IN ((2, 3), (3, 2), (9, 9)) ORDER BY id;
SELECT id FROM links WHERE source = 1 + 1 AND target = length('abc');

-- NULL is equal to nothing
SELECT id FROM links WHERE id = NULL;
SELECT id FROM links WHERE source = NULL::bigint;
SELECT id FROM links WHERE NULL::int4 = target;
SELECT id FROM links WHERE source = 3 AND target = NULL;
SELECT count(*) FROM links WHERE source IS NULL;
SELECT count(*) FROM links WHERE id IS NOT NULL;
SELECT id FROM links WHERE source IS NOT DISTINCT FROM 3 ORDER BY id;
SELECT id FROM links WHERE source IS NOT DISTINCT FROM NULL;

-- lists
SELECT id FROM links WHERE id IN (1, 3, 3, 1000, 99999) ORDER BY id;
SELECT id FROM links WHERE id = ANY ('{5,4,4,NULL,7}') ORDER BY id;
SELECT id FROM links WHERE id = ANY ('{}');
SELECT id FROM links WHERE id = ANY (NULL::bigint[]);
SELECT id FROM links WHERE id = ANY ('{NULL,NULL}');
SELECT id FROM links WHERE id = ANY (ARRAY[2, 3]::int2[]) ORDER BY id;
SELECT id FROM links WHERE id = ANY (ARRAY[2, 3]::int4[]) ORDER BY id;
SELECT id FROM links WHERE id = ANY ('{{1,2},{3,4}}') ORDER BY id;
SELECT id FROM links WHERE source IN (0, 4) ORDER BY id;
SELECT id FROM links WHERE source IN (4, 4, NULL) ORDER BY id;
SELECT id FROM links WHERE source = ANY ('{}') ORDER BY id;
SELECT id FROM links WHERE target IN (-7, 70000, 1) ORDER BY id;
SELECT id FROM links WHERE target = ANY (ARRAY[1, NULL, 1]::int2[]) ORDER BY id;
SELECT id FROM links WHERE source IN (1, 2) AND target IN (2, 3) ORDER BY id;
SELECT id FROM links WHERE source = 1 AND target IN (2, 3, NULL) ORDER BY id;
SELECT id FROM links WHERE source NOT IN (0, 1, 2, 3, 4) ORDER BY id;
SELECT id FROM links WHERE source NOT IN (0, NULL) ORDER BY id;
SELECT id FROM links WHERE source <> ALL ('{0,1,2,3,4}') ORDER BY id;
SELECT id FROM links WHERE source = ALL ('{3,3}') ORDER BY id;
SELECT id FROM links WHERE source = ALL ('{}') ORDER BY id LIMIT 3;
SELECT id FROM links WHERE id < ANY ('{3,4}') ORDER BY id;

-- AND, OR, NOT
SELECT id FROM links WHERE source = 1 OR target = 2 ORDER BY id;
SELECT id FROM links WHERE id = 1 OR id = 2 OR source = -7 ORDER BY id;
SELECT id FROM links WHERE NOT (source = 0 OR source = 1 OR source = 2 OR source = 3) ORDER BY id;
SELECT id FROM links WHERE NOT source = 4 AND target = 3 ORDER BY id;
SELECT id FROM links WHERE source <> 0 AND target = 0 ORDER BY id;
SELECT id FROM links WHERE true AND source = 2 ORDER BY id;
SELECT id FROM links WHERE false;

-- ranges
SELECT id FROM links WHERE id < 3 ORDER BY id;
SELECT id FROM links WHERE id >= 1000 ORDER BY id DESC;
SELECT id FROM links WHERE id > 18 AND id <= 1000 ORDER BY id;
SELECT id FROM links WHERE id BETWEEN 5 AND 7 ORDER BY id;
SELECT id FROM links WHERE 5 > id AND 2::int2 <= id ORDER BY id;
SELECT id FROM links WHERE id > 9223372036854775806;
SELECT id FROM links WHERE id < -9223372036854775807;
SELECT id FROM links WHERE id > 5 AND id < 5;
SELECT id, source FROM links WHERE source > 3 ORDER BY source, id;
SELECT id, source FROM links WHERE source <= 0 ORDER BY source, id;
SELECT id, target FROM links WHERE target BETWEEN 1 AND 2 AND source > 2 ORDER BY target, id;
SELECT id FROM links WHERE source = 2 AND target >= 2 ORDER BY id;
SELECT id FROM links WHERE source < NULL;

-- ordering, limits
SELECT id FROM links ORDER BY id LIMIT 4;
SELECT id FROM links ORDER BY id DESC LIMIT 4;
SELECT id FROM links ORDER BY id LIMIT 3 OFFSET 10;
SELECT id FROM links ORDER BY id OFFSET 21;
SELECT id FROM links ORDER BY id LIMIT 0;
SELECT source, target, id FROM links ORDER BY source DESC, target, id LIMIT 6;
SELECT target, source, id FROM links ORDER BY target, source DESC, id LIMIT 6;
SELECT id FROM links WHERE source = 2 ORDER BY id DESC LIMIT 2;
SELECT id FROM links WHERE target = 2 ORDER BY source DESC LIMIT 2;
SELECT id FROM links ORDER BY id FETCH FIRST 2 ROWS ONLY;

-- aggregates
SELECT count(*), count(id), count(DISTINCT source), sum(id), min(source), max(target) FROM links;
SELECT min(id), max(id) FROM links;
SELECT min(id), max(id), count(*) FROM links WHERE source = 3;
SELECT count(*) FROM links WHERE source = 3 AND target = 3;
SELECT count(*) FROM links WHERE source = 12345;
SELECT min(id), max(id) FROM links WHERE source = 12345;
SELECT count(*) FROM links WHERE id = 7;
SELECT count(*) FROM links WHERE id = ANY ('{1,2,3,NULL,99999}');
SELECT count(*) FILTER (WHERE target = 1) FROM links WHERE source = 2;
SELECT source, count(*) FROM links GROUP BY source HAVING count(*) > 1 ORDER BY source;
SELECT source, array_agg(id ORDER BY id) FROM links WHERE target = 1 GROUP BY source ORDER BY source;
SELECT DISTINCT source FROM links ORDER BY source;
SELECT count(*) FROM (SELECT FROM links) AS no_columns;
SELECT EXISTS (SELECT FROM links WHERE source = 3), EXISTS (SELECT FROM links WHERE source = 33);
SELECT id, row_number() OVER (PARTITION BY source ORDER BY id) FROM links WHERE target < 2 ORDER BY id;

-- whole rows and system columns
SELECT links FROM links WHERE id = 3;
SELECT l.*::text FROM links AS l WHERE l = (SELECT x FROM links AS x WHERE id = 3);
SELECT to_jsonb(l) FROM links AS l WHERE id = 3;
SELECT tableoid::regclass, id FROM links WHERE id = 3;

-- set operations
SELECT id FROM links WHERE source = 1 INTERSECT SELECT id FROM links WHERE target = 2 ORDER BY id;
SELECT id FROM links WHERE source = 1 EXCEPT SELECT id FROM links WHERE target = 2 ORDER BY id;
(SELECT id FROM links WHERE source = 1 UNION ALL SELECT id FROM links WHERE target = 2) ORDER BY id;

-- an empty table
CALL make_links('links');
SELECT * FROM links;
SELECT count(*), min(id), max(id), sum(source) FROM links;
SELECT id FROM links WHERE source = 1;
SELECT id FROM links WHERE id = 1;
SELECT id FROM links ORDER BY id DESC LIMIT 1;
ANALYZE links;
CALL drop_links('links');
