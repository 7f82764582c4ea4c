-- bulk: whether one node can be reached from another, as a recursive CTE that stops where it is found.
-- heavy
-- plan: end
\set start random(1, 100 * :scale)
\set goal random(1, 100 * :scale)
WITH RECURSIVE reach (node) AS (
  SELECT :start::bigint
  UNION
  SELECT links.target FROM reach JOIN links ON links.source = reach.node
)
SELECT EXISTS (SELECT FROM reach WHERE reach.node = :goal);
