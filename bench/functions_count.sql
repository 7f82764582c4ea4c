-- functions: how many links leave a node.
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set node random(1, 100 * :scale)
\if :store
SELECT doublets.count_links('links', NULL, :node);
\else
SELECT count(*) FROM links WHERE source = :node;
\endif
