-- backends: a new link between nodes of the client's own; a store has a function for it.
-- together
-- effect: 1
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set node 1000000000 + 1000000 * :client_id + random(1, 1000)
\set other random(1, 100 * :scale)
\if :store
SELECT doublets.create_link('links', :node, :other);
\else
INSERT INTO links (source, target) VALUES (:node, :other);
\endif
