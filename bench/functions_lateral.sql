-- functions: 200 × scale probes of about ten links each, in a LATERAL join.
-- heavy
-- untimed: which form
SELECT EXISTS (SELECT FROM pg_foreign_table WHERE ftrelid = 'links'::regclass) AS store \gset
\set jump 7919
\if :store
SELECT count(*), sum(l.target) FROM generate_series(1, 200 * :scale) AS probe,
  LATERAL doublets.outgoing('links', 1 + probe * :jump % (100 * :scale)) AS l;
\else
SELECT count(*), sum(l.target) FROM generate_series(1, 200 * :scale) AS probe,
  LATERAL (SELECT * FROM links WHERE source = 1 + probe * :jump % (100 * :scale)) AS l;
\endif
