-- real: why is the biggest hub needed? The length of a shortest path from a package to it, at most six steps.
\set node random(1, 100 * :scale)
WITH RECURSIVE step (node, depth) AS (
  SELECT :node::bigint, 0
  UNION
  SELECT links.target, step.depth + 1 FROM step JOIN links ON links.source = step.node WHERE step.depth < 6
)
SELECT min(step.depth) FROM step WHERE step.node = 1;
