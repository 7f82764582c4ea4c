-- functions: how many nodes can be reached from a node.
-- heavy
-- needs: doublets.walk
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set start random(1, 100 * :scale)
\if :store
SELECT count(*) FROM doublets.walk('links', :start::bigint);
\else
WITH RECURSIVE reach (node) AS (
  SELECT :start::bigint
  UNION
  SELECT links.target FROM reach JOIN links ON links.source = reach.node
)
SELECT count(*) FROM reach;
\endif
