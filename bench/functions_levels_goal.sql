-- functions: whether one node can be reached from another; tables by a function of one statement per level, which stops there.
-- heavy
-- answers: reachable
-- needs: doublets.reachable
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set start random(1, 100 * :scale)
\set goal random(1, 100 * :scale)
\if :store
SELECT doublets.reachable('links', :start, :goal);
\else
SELECT :goal = ANY (levels(:start, :goal, NULL));
\endif
