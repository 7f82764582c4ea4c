-- Joins on every column, parameters of nested loops, LATERAL, recursive queries.
\pset null '(null)'

CALL make_links('links');
-- a binary tree of 15 nodes: node i has an edge from i / 2, after 15 points
INSERT INTO links SELECT i, i, i FROM generate_series(1, 15) AS i;
INSERT INTO links SELECT 100 + i, i / 2, i FROM generate_series(2, 15) AS i;
CREATE TEMP TABLE probe(k int, small int2, big int8);
INSERT INTO probe VALUES (1, 1, 1), (3, 3, 3), (3, 3, 3), (NULL, NULL, NULL), (99, 99, 99), (7, 7, 7);
ANALYZE links;
ANALYZE probe;

-- every join method gives the same
SET jit = off;
CREATE FUNCTION join_answers() RETURNS TABLE (what text, answer text) LANGUAGE sql AS $$
  SELECT 'id', string_agg(format('%s:%s', p.k, l.id), ' ' ORDER BY p.k, l.id) FROM probe AS p JOIN links AS l ON l.id = p.k
  UNION ALL
  SELECT 'id, int2', string_agg(format('%s:%s', p.k, l.id), ' ' ORDER BY p.k, l.id) FROM probe AS p JOIN links AS l ON p.small = l.id
  UNION ALL
  SELECT 'source', string_agg(format('%s:%s', p.k, l.id), ' ' ORDER BY p.k, l.id) FROM probe AS p JOIN links AS l ON l.source = p.k
  UNION ALL
  SELECT 'target, int8', string_agg(format('%s:%s', p.k, l.id), ' ' ORDER BY p.k, l.id) FROM probe AS p JOIN links AS l ON p.big = l.target
  UNION ALL
  SELECT 'pair', string_agg(format('%s:%s', p.k, l.id), ' ' ORDER BY p.k, l.id) FROM probe AS p JOIN links AS l ON l.source = p.k AND l.target = p.small
  UNION ALL
  SELECT 'outer', string_agg(format('%s:%s', p.k, l.id), ' ' ORDER BY p.k, l.id) FROM probe AS p LEFT JOIN links AS l ON l.source = p.k
  UNION ALL
  SELECT 'full', count(*)::text FROM probe AS p FULL JOIN links AS l ON l.source = p.k
  UNION ALL
  SELECT 'semi', string_agg(l.id::text, ' ' ORDER BY l.id) FROM links AS l WHERE l.source IN (SELECT k FROM probe)
  UNION ALL
  SELECT 'anti', string_agg(l.id::text, ' ' ORDER BY l.id) FROM links AS l WHERE NOT EXISTS (SELECT FROM probe AS p WHERE p.k = l.target)
  UNION ALL
  SELECT 'two hops', string_agg(format('%s-%s', a.id, b.id), ' ' ORDER BY a.id, b.id)
    FROM links AS a JOIN links AS b ON b.source = a.target WHERE a.source = 1 AND a.id > 100 AND b.id > 100
  UNION ALL
  SELECT 'three hops', count(*)::text
    FROM links AS a JOIN links AS b ON b.source = a.target JOIN links AS c ON c.source = b.target
    WHERE a.source = 1 AND a.id > 100 AND b.id > 100 AND c.id > 100
  UNION ALL
  SELECT 'siblings', string_agg(format('%s-%s', a.target, b.target), ' ' ORDER BY a.target, b.target)
    FROM links AS a JOIN links AS b USING (source) WHERE a.id > 100 AND b.id > 100 AND a.target < b.target
  UNION ALL
  SELECT 'lists', string_agg(format('%s:%s', p.k, l.id), ' ' ORDER BY p.k, l.id)
    FROM probe AS p JOIN links AS l ON l.source = ANY (ARRAY[p.k, p.k + 1]) AND l.id > 100
  UNION ALL
  SELECT 'lateral', string_agg(format('%s:%s', p.k, x.id), ' ' ORDER BY p.k, x.id)
    FROM probe AS p, LATERAL (SELECT id FROM links WHERE source = p.k ORDER BY id DESC LIMIT 2) AS x
  UNION ALL
  SELECT 'subquery', string_agg(format('%s:%s', p.k, (SELECT count(*) FROM links AS l WHERE l.target = p.k)), ' ' ORDER BY p.k)
    FROM probe AS p;
$$;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
CREATE TEMP TABLE by_loop AS SELECT * FROM join_answers();
RESET enable_hashjoin;
SET enable_nestloop = off;
CREATE TEMP TABLE by_hash AS SELECT * FROM join_answers();
RESET enable_mergejoin;
SET enable_hashjoin = off;
CREATE TEMP TABLE by_merge AS SELECT * FROM join_answers();
RESET enable_mergejoin;
RESET enable_hashjoin;
RESET enable_nestloop;
SELECT * FROM by_loop ORDER BY what;
SELECT what, h.answer AS by_hash FROM by_hash AS h JOIN by_loop AS l USING (what) WHERE h.answer IS DISTINCT FROM l.answer ORDER BY what;
SELECT what, m.answer AS by_merge FROM by_merge AS m JOIN by_loop AS l USING (what) WHERE m.answer IS DISTINCT FROM l.answer ORDER BY what;

-- rescans with changing parameters, empty ones between
SELECT p.i, x.n FROM generate_series(0, 17) AS p(i),
  LATERAL (SELECT count(*) AS n FROM links WHERE source = p.i AND id > 100) AS x ORDER BY p.i;
SELECT p.i, x.id FROM generate_series(-1, 3) AS p(i) LEFT JOIN LATERAL
  (SELECT id FROM links WHERE id = p.i AND target = p.i) AS x ON true ORDER BY p.i;

-- recursive: all that can be reached from 2, with its depth
WITH RECURSIVE reach(node, depth) AS (
  SELECT 2::bigint, 0
  UNION ALL
  SELECT l.target, r.depth + 1 FROM reach AS r JOIN links AS l ON l.source = r.node WHERE l.source <> l.target
)
SELECT depth, array_agg(node ORDER BY node) FROM reach GROUP BY depth ORDER BY depth;
-- with a cycle
INSERT INTO links VALUES (200, 15, 1);
WITH RECURSIVE reach(node) AS (
  SELECT 7::bigint
  UNION
  SELECT l.target FROM reach AS r JOIN links AS l ON l.source = r.node
)
SELECT count(*), min(node), max(node) FROM reach;
-- towards the sources
WITH RECURSIVE up(node) AS (
  SELECT 13::bigint
  UNION
  SELECT l.source FROM up AS u JOIN links AS l ON l.target = u.node WHERE l.id BETWEEN 100 AND 199
)
SELECT array_agg(node ORDER BY node) FROM up;

DROP FUNCTION join_answers;
CALL drop_links('links');
