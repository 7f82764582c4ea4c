-- real: how many packages does a package need, transitively?
\set node random(1, 100 * :scale)
WITH RECURSIVE needed (node) AS (
  SELECT :node::bigint
  UNION
  SELECT links.target FROM needed JOIN links ON links.source = needed.node
)
SELECT count(*), sum(needed.node) FROM needed;
