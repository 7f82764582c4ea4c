-- Walks, reachability and shortest paths: what they return, what they refuse, and that they agree with recursive queries
-- over an ordinary table with the same rows.
\pset null '(null)'

CALL make_links('links');

-- a walk: each node once, nearest first, with the smallest of the links that lead to it from one link nearer
INSERT INTO links VALUES (1, 1, 2), (2, 2, 3), (3, 3, 1), (4, 3, 3), (5, 3, 4), (6, 1, 3), (7, 0, -5), (8, -5, 0), (9, 1, 2), (10, 4, 77);
SELECT * FROM doublets.walk('links', 1) ORDER BY depth, id;
SELECT * FROM doublets.walk('links', 1, 'incoming') ORDER BY depth, id;
SELECT * FROM doublets.walk('links', 4, 'both') ORDER BY depth, id;
SELECT * FROM doublets.walk('links', 1, 'outgoing', 1) ORDER BY depth, id;
SELECT * FROM doublets.walk('links', start => 1, max_depth => 0);
SELECT * FROM doublets.walk('links', 0) ORDER BY depth, id;
-- nodes that no link has
SELECT * FROM doublets.walk('links', 999, 'both');
SELECT * FROM doublets.walk('links', 9223372036854775807), doublets.walk('links', -9223372036854775808, 'incoming') AS b;
-- several starts
SELECT * FROM doublets.walk('links', ARRAY[4, 0, NULL, 4, 5000]) ORDER BY depth, id;
SELECT * FROM doublets.walk('links', ARRAY[2, 3], 'incoming', 1) ORDER BY depth, id;
SELECT * FROM doublets.walk('links', '{}'::bigint[]);
-- reachable, shortest_path
SELECT doublets.reachable('links', 1, 77) AS there, doublets.reachable('links', 77, 1) AS back, doublets.reachable('links', 77, 1, 'incoming') AS turned,
       doublets.reachable('links', 77, 1, 'both') AS either, doublets.reachable('links', 1, 0) AS apart, doublets.reachable('links', 500, 500) AS itself,
       doublets.reachable('links', 1, 500) AS unknown;
SELECT doublets.shortest_path('links', 1, 77) AS there, doublets.shortest_path('links', 77, 1) AS back, doublets.shortest_path('links', 77, 1, 'incoming') AS turned,
       doublets.shortest_path('links', 77, 2, 'both') AS either, doublets.shortest_path('links', 3, 3) AS itself, doublets.shortest_path('links', 500, 500) AS alone;

-- hubs
SELECT * FROM doublets.hubs('links');
SELECT * FROM doublets.hubs('links', 'incoming', 3);
SELECT * FROM doublets.hubs('links', 'both', 4);
SELECT (doublets.hubs('links', k => 1)).*;
SELECT count(*) FROM doublets.hubs('links', k => 0);

-- NULL finds nothing, but for max_depth
SELECT doublets.hubs('links', NULL), doublets.hubs('links', 'both', NULL);
SELECT * FROM doublets.walk('links', NULL::bigint);
SELECT * FROM doublets.walk('links', NULL::bigint[]);
SELECT * FROM doublets.walk('links', 1, NULL);
SELECT count(*) FROM doublets.walk('links', 1, 'outgoing', NULL);
SELECT doublets.reachable('links', NULL, 1), doublets.reachable('links', 1, NULL), doublets.reachable('links', 1, 1, NULL);
SELECT doublets.shortest_path('links', NULL, 1), doublets.shortest_path('links', 1, NULL), doublets.shortest_path('links', 1, 1, NULL);

-- what is refused
SELECT problem($$SELECT doublets.walk(NULL, 1)$$);
SELECT problem($$SELECT doublets.walk('pg_class', 1)$$);
SELECT problem($$SELECT * FROM doublets.walk('links', 1, 'sideways')$$);
SELECT problem($$SELECT doublets.reachable('links', 1, 1, 'OUTGOING')$$);
SELECT problem($$SELECT doublets.shortest_path('links', 1, 2, '')$$);
SELECT problem($$SELECT doublets.walk('links', 1, 'both', -1)$$);
SELECT problem($$SELECT doublets.walk('links', ARRAY[[1], [2]])$$);
SELECT problem($$SELECT doublets.reachable(NULL, 1, 1)$$);
SELECT problem($$SELECT doublets.hubs(NULL)$$);
SELECT problem($$SELECT * FROM doublets.hubs('links', 'in')$$);
SELECT problem($$SELECT * FROM doublets.hubs('links', k => -1)$$);
SELECT problem($$SELECT doublets.shortest_path(NULL, 1, 1)$$);

-- as a column, beside other sets, in a join, under LIMIT
SELECT (doublets.walk('links', 1)).id ORDER BY 1;
SELECT doublets.walk('links', 0), generate_series(1, 3) ORDER BY 2;
SELECT s, string_agg(w.id::text, ' ' ORDER BY w.id) FROM generate_series(0, 5) AS s, LATERAL doublets.walk('links', s, 'incoming') AS w GROUP BY s ORDER BY s;
SELECT count(*) FROM (SELECT doublets.walk('links', 1) LIMIT 2) AS first;
SELECT node, n > 1 AS later, w.depth, links.target FROM doublets.walk('links', 1) WITH ORDINALITY AS w(node, depth, via, n) LEFT JOIN links ON links.id = w.via ORDER BY node;

-- An ordinary table with the same rows, and what recursive queries make of it.
CREATE TABLE model(id bigint PRIMARY KEY, source bigint NOT NULL, target bigint NOT NULL);
CREATE FUNCTION edges(direction text) RETURNS TABLE (id bigint, a bigint, b bigint) LANGUAGE sql STABLE AS $$
  SELECT id, source, target FROM model WHERE direction IN ('outgoing', 'both')
  UNION ALL SELECT id, target, source FROM model WHERE direction IN ('incoming', 'both')
$$;
CREATE FUNCTION model_walk(starts bigint[], direction text, max_depth integer) RETURNS TABLE (id bigint, depth integer, via bigint)
LANGUAGE sql STABLE AS $$
  WITH RECURSIVE edge AS MATERIALIZED (SELECT * FROM edges(direction)),
  met (node, depth) AS (
    SELECT s, 0 FROM unnest(starts) AS s WHERE s IS NOT NULL
    UNION
    SELECT e.b, met.depth + 1 FROM met JOIN edge AS e ON e.a = met.node WHERE met.depth < coalesce(max_depth, 20)
  ), nearest AS (SELECT node, min(depth) AS depth FROM met GROUP BY node)
  SELECT n.node, n.depth, (SELECT min(e.id) FROM edge AS e JOIN nearest AS p ON p.node = e.a WHERE e.b = n.node AND p.depth = n.depth - 1)
  FROM nearest AS n
$$;
-- Whether links make a way from one node to another, in that order.
CREATE FUNCTION is_path(path bigint[], start bigint, goal bigint, direction text) RETURNS boolean LANGUAGE plpgsql STABLE STRICT AS $$
DECLARE
  here bigint[] := ARRAY[start];
  link bigint;
BEGIN
  FOREACH link IN ARRAY path LOOP
    here := ARRAY(SELECT e.b FROM edges(direction) AS e WHERE e.id = link AND e.a = ANY (here));
  END LOOP;
  RETURN goal = ANY (here);
END
$$;
CREATE FUNCTION model_hubs(direction text, k bigint) RETURNS TABLE (id bigint, degree bigint) LANGUAGE sql STABLE AS $$
  SELECT a, count(*) FROM edges(direction) GROUP BY a ORDER BY count(*) DESC, a LIMIT k
$$;
CREATE FUNCTION disagreements() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  way text;
  starts bigint[];
  deepest integer;
BEGIN
  FOREACH way IN ARRAY ARRAY['outgoing', 'incoming', 'both'] LOOP
    RETURN QUERY SELECT format('hubs %s, %s: %s instead of %s', way, k, a, b) FROM unnest(ARRAY[0, 1, 4, 100]) AS k,
      LATERAL (SELECT array_agg(h) AS a FROM (SELECT * FROM doublets.hubs('links', way, k)) AS h) AS ours,
      LATERAL (SELECT array_agg(h) AS b FROM (SELECT * FROM model_hubs(way, k)) AS h) AS models
      WHERE a::text IS DISTINCT FROM b::text;
    FOREACH deepest IN ARRAY ARRAY[NULL, 0, 1, 3] LOOP
      starts := ARRAY(SELECT floor(random() * 16)::bigint - 3 FROM generate_series(1, 1 + floor(random() * 3)::integer));
      RETURN QUERY SELECT format('%s from %s, %s deep: %s', way, starts, deepest, d) FROM (
        (SELECT * FROM doublets.walk('links', starts, way, deepest) EXCEPT ALL SELECT * FROM model_walk(starts, way, deepest))
        UNION ALL
        (SELECT * FROM model_walk(starts, way, deepest) EXCEPT ALL SELECT * FROM doublets.walk('links', starts, way, deepest))) AS d;
      RETURN QUERY SELECT format('%s from %s, %s deep, alone: %s', way, starts[1], deepest, d) FROM (
        (SELECT doublets.walk('links', starts[1], way, deepest) EXCEPT ALL SELECT w FROM model_walk(starts[1:1], way, deepest) AS w)
        UNION ALL
        (SELECT w FROM model_walk(starts[1:1], way, deepest) AS w EXCEPT ALL SELECT doublets.walk('links', starts[1], way, deepest))) AS d;
    END LOOP;
    RETURN QUERY
      SELECT format('%s from %s to %s: %s, %s instead of %s', way, starts[1], goal, reached, path, m.depth)
      FROM generate_series(-3, 13) AS goal
      LEFT JOIN model_walk(starts[1:1], way, NULL) AS m ON m.id = goal,
      LATERAL (SELECT doublets.reachable('links', starts[1], goal, way) AS reached, doublets.shortest_path('links', starts[1], goal, way) AS path) AS found
      WHERE reached <> (m.depth IS NOT NULL) OR cardinality(path) IS DISTINCT FROM m.depth
         OR NOT coalesce(is_path(path, starts[1], goal, way), true);
  END LOOP;
END
$$;

-- random graphs of all densities; every state is looked at inside the transaction that makes it and after
SELECT setseed(0.25);
CREATE TEMP TABLE found(problem text);
DO $$
BEGIN
  FOR round IN 1..24 LOOP
    DELETE FROM links WHERE random() < 0.5 OR round % 10 = 1;
    DELETE FROM model;
    INSERT INTO links(source, target)
      SELECT floor(random() * 14) - 2, floor(random() * 14) - 2 FROM generate_series(1, 1 + floor(random() * 5 * (round % 8))::integer);
    UPDATE links SET target = source WHERE random() < 0.1;
    INSERT INTO model SELECT * FROM links;
    INSERT INTO found SELECT round || ': ' || d FROM disagreements() AS d;
    IF round % 3 = 0 THEN ROLLBACK; ELSE COMMIT; END IF;
    DELETE FROM model;
    INSERT INTO model SELECT * FROM links;
    INSERT INTO found SELECT round || ' after: ' || d FROM disagreements() AS d;
    COMMIT;
  END LOOP;
END
$$;
SELECT problem FROM found ORDER BY problem LIMIT 10;
SELECT count(*) > 5 AS some, count(DISTINCT source) > 3 AS mixed FROM model;

-- many links of one node, and a long way
CALL make_links('links');
DELETE FROM model;
INSERT INTO model SELECT i, 0, i FROM generate_series(1, 3000) AS i;
INSERT INTO model SELECT 3000 + i, i, -1 FROM generate_series(1, 3000) AS i;
INSERT INTO model SELECT 10000 + i, -i, -i - 1 FROM generate_series(1, 2000) AS i;
INSERT INTO links SELECT * FROM model ORDER BY id % 1009, id;
SELECT count(*), min(via), max(via), sum(id), max(depth) FROM doublets.walk('links', 0) GROUP BY depth < 3;
SELECT count(*), sum(id), max(depth) FROM doublets.walk('links', -1, 'incoming', 2);
SELECT count(*), sum(id), max(depth) FROM doublets.walk('links', ARRAY(SELECT generate_series(-3000, 3000)), 'both');
SELECT cardinality(doublets.shortest_path('links', 0, -2001)), (doublets.shortest_path('links', -2001, 0, 'incoming'))[1:2],
       doublets.reachable('links', -2001, 3000), doublets.reachable('links', -2001, 3000, 'both');
SELECT * FROM doublets.hubs('links', 'outgoing', 3);
SELECT * FROM doublets.hubs('links', 'incoming', 3);
SELECT * FROM doublets.hubs('links', 'both', 3);
SELECT count(*), sum(id), sum(degree) FROM doublets.hubs('links', 'both', 100000);
-- not all of them
DELETE FROM links WHERE id <= 3000 AND id % 7 <> 0;
SELECT count(*), sum(id), max(depth) FROM doublets.walk('links', 0);
BEGIN;
UPDATE links SET target = -target WHERE id BETWEEN 10001 AND 10400;
SELECT count(*), sum(id), max(depth) FROM doublets.walk('links', 0);
SAVEPOINT a;
DELETE FROM links WHERE id = 13;
DELETE FROM links WHERE source = 0;
SELECT count(*), sum(id), max(depth) FROM doublets.walk('links', 0);
SELECT * FROM doublets.hubs('links', 'both', 2);
ROLLBACK TO a;
SELECT count(*), sum(id), max(depth) FROM doublets.walk('links', 0);
SELECT * FROM doublets.hubs('links', 'both', 2);
ROLLBACK;
SELECT count(*), sum(id), max(depth) FROM doublets.walk('links', 0);

-- a cursor sees what was there when it was opened, and goes on after a savepoint is gone
BEGIN;
SAVEPOINT a;
DECLARE c CURSOR FOR SELECT doublets.walk('links', -1);
DELETE FROM links WHERE id >= 10500;
FETCH 2 FROM c;
SELECT count(*) FROM doublets.walk('links', -1);
RELEASE a;
SAVEPOINT b;
FETCH 2 FROM c;
ROLLBACK TO b;
INSERT INTO links VALUES (20000, -6, -7);
FETCH 4 FROM c;
MOVE FORWARD ALL IN c;
ROLLBACK;

-- what a statement writes it does not meet
SELECT count(*) FROM doublets.walk('links', 2);
SELECT count(*) FROM (SELECT doublets.walk('links', 2), doublets.create_link('links', -1500, -100000) OFFSET 0) AS s;
SELECT id, depth FROM doublets.walk('links', 2) WHERE id = -100000;

-- memory has a limit
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT problem($$SELECT count(*) FROM doublets.walk('links', -1)$$);
SELECT problem($$SELECT doublets.walk('links', -1)$$);
SELECT problem($$SELECT doublets.reachable('links', -1, -2001)$$);
SELECT count(*) FROM doublets.walk('links', -1, max_depth => 500);
SELECT problem($$SELECT * FROM doublets.hubs('links', 'both', 5000)$$);
SELECT count(*) FROM doublets.hubs('links', 'both', 4000);
SET hash_mem_multiplier = 4;
SELECT count(*) FROM doublets.walk('links', -1);
RESET hash_mem_multiplier;
RESET work_mem;

-- a store without links has nodes too
CALL make_links('links');
SELECT * FROM doublets.walk('links', 5, 'both');
SELECT * FROM doublets.hubs('links', 'both');
SELECT doublets.reachable('links', 1, 2), doublets.reachable('links', 1, 1), doublets.shortest_path('links', 1, 2), doublets.shortest_path('links', 1, 1);
SELECT * FROM broken_links('links');

DROP FUNCTION disagreements, is_path, model_hubs, model_walk, edges;
DROP TABLE model;
CALL drop_links('links');
