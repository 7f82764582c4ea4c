-- functions: how many nodes can be reached from a node; tables by a function of one statement per level.
-- heavy
-- answers: walk
-- needs: doublets.walk
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set start random(1, 100 * :scale)
\if :store
SELECT count(*) FROM doublets.walk('links', :start::bigint);
\else
SELECT cardinality(levels(:start, NULL, NULL));
\endif
