-- functions: how many nodes can be reached from a node; tables by pgRouting, which must be found by search_path.
-- once
-- heavy
-- answers: walk
-- needs: bench.pgr_breadthfirstsearch
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set start random(1, 100 * :scale)
\if :store
SELECT count(*) FROM doublets.walk('links', :start::bigint);
\else
SELECT count(*) FROM pgr_breadthFirstSearch('SELECT id, source, target, 1 AS cost FROM links', :start::bigint);
\endif
