-- functions: the links that enter a node.
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set node random(1, 100 * :scale)
\if :store
SELECT id, source FROM doublets.incoming('links', :node);
\else
SELECT id, source FROM links WHERE target = :node;
\endif
