-- backends: how many links leave a node; a store has a function for it.
-- together
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set node random(1, 100 * :scale)
\if :store
SELECT doublets.count_links('links', NULL, :node);
\else
SELECT count(*) FROM links WHERE source = :node;
\endif
