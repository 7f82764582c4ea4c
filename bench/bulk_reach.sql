-- bulk: all nodes that can be reached from a node, as a recursive CTE.
-- heavy
-- plan: end
\set start random(1, 100 * :scale)
WITH RECURSIVE reach (node) AS (
  SELECT :start::bigint
  UNION
  SELECT links.target FROM reach JOIN links ON links.source = reach.node
)
SELECT count(*) FROM reach;
