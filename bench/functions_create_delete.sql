-- functions: a new link, deleted again.
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set node random(1, 100 * :scale)
\set other random(1, 100 * :scale)
\if :store
SELECT doublets.create_link('links', :node, :other) AS id \gset new_
SELECT doublets.delete_link('links', :new_id);
\else
INSERT INTO links (source, target) VALUES (:node, :other) RETURNING id \gset new_
DELETE FROM links WHERE id = :new_id;
\endif
