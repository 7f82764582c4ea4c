-- functions: how many nodes are at most three hops from a node.
-- needs: doublets.walk
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set start random(1, 100 * :scale)
\if :store
SELECT count(*) FROM doublets.walk('links', :start::bigint, 'outgoing', 3);
\else
WITH RECURSIVE hop (node, depth) AS (
  SELECT :start::bigint, 0
  UNION
  SELECT links.target, hop.depth + 1 FROM hop JOIN links ON links.source = hop.node WHERE hop.depth < 3
)
SELECT count(DISTINCT hop.node) FROM hop;
\endif
