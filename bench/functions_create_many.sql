-- functions: 100 new links in one call.
-- effect: 100
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set node random(1, 100 * :scale)
\if :store
SELECT cardinality(doublets.create_links('links', array_fill(:node::bigint, '{100}'), ARRAY(SELECT generate_series(1::bigint, 100))));
\else
INSERT INTO links (source, target) SELECT :node, n FROM generate_series(1::bigint, 100) AS n;
\endif
