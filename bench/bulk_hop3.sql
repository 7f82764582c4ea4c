-- bulk: the nodes at most three hops from a node, each once, as a recursive CTE.
-- plan: end
\set start random(1, 100 * :scale)
WITH RECURSIVE hop (node, depth) AS (
  SELECT :start::bigint, 0
  UNION
  SELECT links.target, hop.depth + 1 FROM hop JOIN links ON links.source = hop.node WHERE hop.depth < 3
)
SELECT count(DISTINCT hop.node) FROM hop;
