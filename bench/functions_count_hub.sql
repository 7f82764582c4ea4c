-- functions: how many links leave the hub.
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set hub 100 * :scale + 1
\if :store
SELECT doublets.count_links('links', NULL, :hub);
\else
SELECT count(*) FROM links WHERE source = :hub;
\endif
