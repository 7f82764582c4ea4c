-- functions: another target for a link.
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set link random(1, 1000 * :scale)
\set node random(1, 100 * :scale)
\set other random(1, 100 * :scale)
\if :store
SELECT doublets.update_link('links', :link, :node, :other);
\else
UPDATE links SET source = :node, target = :other WHERE id = :link;
\endif
