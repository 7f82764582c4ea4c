-- functions: how many nodes are at most three hops from a node; tables by a function of one statement per level.
-- answers: walk3
-- needs: doublets.walk
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set start random(1, 100 * :scale)
\if :store
SELECT count(*) FROM doublets.walk('links', :start::bigint, 'outgoing', 3);
\else
SELECT cardinality(levels(:start, NULL, 3));
\endif
