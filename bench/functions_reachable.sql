-- functions: whether one node can be reached from another.
-- heavy
-- needs: doublets.reachable
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set start random(1, 100 * :scale)
\set goal random(1, 100 * :scale)
\if :store
SELECT doublets.reachable('links', :start, :goal);
\else
WITH RECURSIVE reach (node) AS (
  SELECT :start::bigint
  UNION
  SELECT links.target FROM reach JOIN links ON links.source = reach.node
)
SELECT EXISTS (SELECT FROM reach WHERE reach.node = :goal);
\endif
