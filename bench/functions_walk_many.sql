-- functions: how many nodes are at most two hops from any of three.
-- needs: doublets.walk
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set start random(1, 100 * :scale)
\set second random(1, 100 * :scale)
\set third random(1, 100 * :scale)
\if :store
SELECT count(*) FROM doublets.walk('links', ARRAY[:start, :second, :third]::bigint[], 'outgoing', 2);
\else
WITH RECURSIVE hop (node, depth) AS (
  SELECT start, 0 FROM unnest(ARRAY[:start, :second, :third]::bigint[]) AS start
  UNION
  SELECT links.target, hop.depth + 1 FROM hop JOIN links ON links.source = hop.node WHERE hop.depth < 2
)
SELECT count(DISTINCT hop.node) FROM hop;
\endif
