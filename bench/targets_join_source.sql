-- targets: nested-loop join on source, 200 × scale probes that jump through 100 × scale nodes.
-- plan: end
-- untimed: a nested loop is what is measured
BEGIN;
-- untimed: a nested loop is what is measured
SET LOCAL enable_hashjoin = off;
-- untimed: a nested loop is what is measured
SET LOCAL enable_mergejoin = off;
-- untimed: a nested loop is what is measured
SET LOCAL enable_memoize = off;
SELECT count(*), sum(links.target) FROM generate_series(1, 200 * :scale) AS probe
JOIN links ON links.source = 1 + probe * 7919::bigint % (100 * :scale);
-- untimed: a nested loop is what is measured
COMMIT;
