-- functions: a link by id.
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set link random(1, 1000 * :scale)
\if :store
SELECT source, target FROM doublets.get_link('links', :link);
\else
SELECT source, target FROM links WHERE id = :link;
\endif
