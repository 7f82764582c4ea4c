-- Walks, hubs and reachability: stores by their functions, tables by recursive CTEs, and, with the same answers, by the function of
-- one statement per level that is their rival.
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
INSERT INTO links (source, target)
SELECT 1 + mod(hashint8extended(n, 1) & 9223372036854775807, 60), 1 + mod(hashint8extended(n, 2) & 9223372036854775807, 60)
FROM generate_series(1, 100) AS n;
SELECT 'walks from each node, along and against the links';
\if :store
SELECT start, id, depth FROM generate_series(0, 60) AS start, LATERAL doublets.walk('links', start::bigint) ORDER BY 1, 3, 2;
SELECT start, id, depth FROM generate_series(0, 60) AS start, LATERAL doublets.walk('links', start::bigint, 'incoming') ORDER BY 1, 3, 2;
\else
WITH RECURSIVE hop (start, node, depth) AS (
  SELECT n, n::bigint, 0 FROM generate_series(0, 60) AS n
  UNION
  SELECT start, links.target, depth + 1 FROM hop JOIN links ON links.source = node WHERE depth < 60
)
SELECT start, node, min(depth) FROM hop GROUP BY start, node ORDER BY 1, 3, 2;
WITH RECURSIVE hop (start, node, depth) AS (
  SELECT n, n::bigint, 0 FROM generate_series(0, 60) AS n
  UNION
  SELECT start, links.source, depth + 1 FROM hop JOIN links ON links.target = node WHERE depth < 60
)
SELECT start, node, min(depth) FROM hop GROUP BY start, node ORDER BY 1, 3, 2;
\endif
SELECT 'walks that end after two links, from several nodes at once';
\if :store
SELECT n, id, depth FROM generate_series(1, 58) AS n, LATERAL doublets.walk('links', ARRAY[n, n + 1, n + 2, n]::bigint[], 'outgoing', 2)
ORDER BY 1, 3, 2;
\else
WITH RECURSIVE hop (n, node, depth) AS (
  SELECT n, unnest(ARRAY[n, n + 1, n + 2]::bigint[]), 0 FROM generate_series(1, 58) AS n
  UNION
  SELECT n, links.target, depth + 1 FROM hop JOIN links ON links.source = node WHERE depth < 2
)
SELECT n, node, min(depth) FROM hop GROUP BY n, node ORDER BY 1, 3, 2;
\endif
SELECT 'reachable or not, from each node to each';
\if :store
SELECT a, string_agg(b::text, ' ' ORDER BY b) FROM generate_series(0, 60) AS a, generate_series(0, 60) AS b
WHERE doublets.reachable('links', a, b) GROUP BY a ORDER BY a;
\else
WITH RECURSIVE reach (start, node) AS (
  SELECT n, n::bigint FROM generate_series(0, 60) AS n
  UNION
  SELECT start, links.target FROM reach JOIN links ON links.source = node
)
SELECT start, string_agg(node::text, ' ' ORDER BY node) FROM reach GROUP BY start ORDER BY start;
\endif
SELECT 'hubs';
\if :store
SELECT id, degree FROM doublets.hubs('links', 'outgoing', 15);
SELECT id, degree FROM doublets.hubs('links', 'incoming', 15);
\else
SELECT source, count(*) FROM links GROUP BY source ORDER BY count(*) DESC, source LIMIT 15;
SELECT target, count(*) FROM links GROUP BY target ORDER BY count(*) DESC, target LIMIT 15;
\endif
SELECT 'one statement per level';
\if :store
SELECT start, cardinality(array_agg(id)), sum(id) FROM generate_series(0, 60) AS start, LATERAL doublets.walk('links', start::bigint)
GROUP BY start ORDER BY start;
SELECT start, cardinality(array_agg(id)), sum(id) FROM generate_series(0, 60) AS start,
  LATERAL doublets.walk('links', start::bigint, 'outgoing', 3) GROUP BY start ORDER BY start;
SELECT a, string_agg(b::text, ' ' ORDER BY b) FROM generate_series(0, 60) AS a, generate_series(0, 60) AS b
WHERE doublets.reachable('links', a, b) GROUP BY a ORDER BY a;
\else
SELECT start, cardinality(met), (SELECT sum(id) FROM unnest(met) AS id) FROM generate_series(0, 60) AS start, levels(start, NULL, NULL) AS met
ORDER BY start;
SELECT start, cardinality(met), (SELECT sum(id) FROM unnest(met) AS id) FROM generate_series(0, 60) AS start, levels(start, NULL, 3) AS met
ORDER BY start;
SELECT a, string_agg(b::text, ' ' ORDER BY b) FROM generate_series(0, 60) AS a, generate_series(0, 60) AS b
WHERE b = ANY (levels(a, b, NULL)) GROUP BY a ORDER BY a;
\endif
