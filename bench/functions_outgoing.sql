-- functions: the links that leave a node.
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set node random(1, 100 * :scale)
\if :store
SELECT id, target FROM doublets.outgoing('links', :node);
\else
SELECT id, target FROM links WHERE source = :node;
\endif
