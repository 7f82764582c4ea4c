-- functions: the twenty nodes that most links leave.
-- heavy
-- needs: doublets.hubs
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\if :store
SELECT id, degree FROM doublets.hubs('links', 'outgoing', 20);
\else
SELECT source, count(*) FROM links GROUP BY source ORDER BY count(*) DESC, source LIMIT 20;
\endif
