-- functions: a new link.
-- effect: 1
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set node random(1, 100 * :scale)
\set other random(1, 100 * :scale)
\if :store
SELECT doublets.create_link('links', :node, :other);
\else
INSERT INTO links (source, target) VALUES (:node, :other);
\endif
