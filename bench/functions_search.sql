-- functions: the smallest id of a pair.
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set node random(1, 100 * :scale)
\set other random(1, 100 * :scale)
\if :store
SELECT doublets.search_link('links', :node, :other);
\else
SELECT min(id) FROM links WHERE source = :node AND target = :other;
\endif
