-- The table "Measured at the end": what the stores must reach, and whether they do.

-- Ratios of two cells: baseline ÷ store. `minimum` NULL: 0.8 × (native time ÷ time of SELECT 1). `floor`: the floor no
-- store can be faster than.
CREATE TABLE report.target_ratios (position integer, title text, operation text, metric text, baseline text, minimum numeric,
  floor text, workload text NOT NULL DEFAULT 'targets');
INSERT INTO report.target_ratios VALUES
  (1, 'INSERT … SELECT, per load', 'insert_select', 'wall', 'native_unlogged', 6, NULL),
  (2, 'COPY FROM, per load', 'copy', 'wall', 'native_unlogged', 4, NULL),
  (3, 'Nested-loop join on source', 'join_source', 'wall', 'native_covering_unlogged', 2.5, NULL),
  (4, 'Prepared outgoing lookup, CPU per transaction', 'outgoing', 'cpu', 'native_unlogged', 1.9, 'select_1'),
  (5, 'Prepared outgoing lookup, CPU per transaction', 'outgoing', 'cpu', 'native_covering_unlogged', 1.25, 'select_1'),
  (6, 'Autocommit INSERT, CPU per transaction', 'insert', 'cpu', 'native_unlogged', 2, 'xid'),
  (7, 'Autocommit INSERT, wall, synchronous commit', 'insert', 'wall', 'native', NULL, 'xid'),
  (8, 'Full scan with a sum, CPU', 'full_scan', 'cpu', 'native_unlogged', 1.3, NULL),
  (9, 'Three-hop recursive CTE, CPU', 'cte3', 'cpu', 'native_covering_unlogged', 1.6, NULL);

-- What the planner and the functions are to reach; judged where those workloads were measured.
INSERT INTO report.target_ratios VALUES
  (31, 'count(*) of the hub, CPU', 'count_hub', 'cpu', 'native_covering_unlogged', 300, NULL, 'bulk'),
  (32, 'count(*) of everything, CPU', 'count_all', 'cpu', 'native_covering_unlogged', 2000, NULL, 'bulk'),
  (33, 'Degrees of all nodes, CPU', 'degrees', 'cpu', 'native_covering_unlogged', 4, NULL, 'bulk'),
  (34, 'ORDER BY id LIMIT 10, CPU', 'first_ids', 'cpu', 'native_unlogged', 1.3, NULL, 'bulk'),
  (35, 'Keyset page 10,000 of the hub, CPU', 'keyset', 'cpu', 'native_unlogged', 1.3, NULL, 'bulk'),
  (36, 'UPDATE of 100,000 links, CPU', 'update', 'cpu', 'native_unlogged', 8, NULL, 'bulk'),
  (37, 'DELETE of 100,000 links, CPU', 'delete', 'cpu', 'native_unlogged', 2, NULL, 'bulk'),
  (38, 'Three hops, recursive CTE, CPU', 'hop3', 'cpu', 'native_covering_unlogged', 1.7, NULL, 'bulk'),
  (39, 'Three hops, walk against the CTE, CPU', 'walk3', 'cpu', 'native_covering_unlogged', 20, NULL, 'functions'),
  (40, 'Everything reachable, recursive CTE, CPU', 'reach', 'cpu', 'native_covering_unlogged', 1.5, NULL, 'bulk'),
  (41, 'Everything reachable, walk against the CTE, CPU', 'walk', 'cpu', 'native_covering_unlogged', 30, NULL, 'functions'),
  (42, 'Probes through outgoing() in a LATERAL join, CPU', 'lateral', 'cpu', 'native_covering_unlogged', 3, NULL, 'functions'),
  (43, 'reachable against the CTE, CPU', 'reachable', 'cpu', 'native_covering_unlogged', 100, NULL, 'functions'),
  (44, 'Planning a search by source, CPU', 'planning', 'cpu', 'native_unlogged', 1, NULL, 'bulk');

-- How two backends are to scale: twice the time of one over the time of two.
CREATE TABLE report.target_scaling (position integer, operation text, minimum numeric);
INSERT INTO report.target_scaling VALUES (51, 'read', 1.8), (52, 'count', 1.8), (53, 'update', 1.3), (54, 'create', 1.3);

-- The core micro-benchmark: 1 M uniform links, against a vector with two ordered std::set indexes in the same run.
CREATE TABLE report.target_core (position integer, operation text, layout text, minimum numeric);
INSERT INTO report.target_core VALUES
  (21, 'create', 'split', 5), (22, 'delete', 'split', 4), (23, 'pair', 'split', 4), (24, 'outgoing', 'split', 8),
  (25, 'count', 'split', 50), (26, 'create', 'united', 2), (27, 'delete', 'united', 2), (28, 'pair', 'united', 2),
  (29, 'outgoing', 'united', 3), (30, 'count', 'united', 3);

-- Every verdict: `measured` and `demanded` are ratios, or bytes per link where less is better. `limit_text`: what would be
-- measured of a store that costs nothing, so that only the floor is left.
CREATE VIEW report.verdicts AS
SELECT t.position,
  t.title || CASE WHEN t.minimum IS NULL
    THEN format(' (target: 0.8 × native ÷ SELECT 1; one fdatasync took %s µs)', report.provenance('fdatasync_us')) ELSE '' END AS title,
  t.baseline, report.duration(base.median) AS baseline_text, b.position AS slot, b.backend,
  report.duration(c.median) AS store_text, base.median / c.median AS measured,
  coalesce(t.minimum, 0.8 * base.median / nothing.median) AS demanded, true AS more_is_better, '×' AS unit,
  report.three(base.median / floor.median) || '× (' || f.title || ': ' || report.duration(floor.median) || ')' AS limit_text
FROM report.target_ratios AS t
CROSS JOIN report.backends AS b
LEFT JOIN report.cells AS base ON base.workload = t.workload AND base.operation = t.operation AND base.metric = t.metric
  AND base.backend = t.baseline
LEFT JOIN report.cells AS c ON c.workload = t.workload AND c.operation = t.operation AND c.metric = t.metric
  AND c.backend = b.backend
LEFT JOIN report.cells AS nothing ON nothing.workload = 'floors' AND nothing.mode = 'client' AND nothing.operation = 'select_1'
  AND nothing.metric = 'wall'
LEFT JOIN report.cells AS floor ON floor.workload = 'floors' AND floor.mode = 'client' AND floor.operation = t.floor
  AND floor.metric = t.metric
LEFT JOIN (VALUES ('select_1', 'SELECT 1'), ('xid', 'xid only')) AS f (operation, title) ON f.operation = floor.operation
WHERE b.kind = 'doublets' AND (t.workload = 'targets' OR c.median IS NOT NULL)
UNION ALL
SELECT t.position, 'Two backends: ' || regexp_replace(one.title, ', .*', ''), 'one backend', report.duration(one.median), b.position,
  b.backend, report.duration(two.median), 2 * one.median / two.median, t.minimum, true, '×',
  coalesce((SELECT report.three(2 * f1.median / f2.median) || '× (no link)' FROM report.cells AS f1 JOIN report.cells AS f2
    USING (workload, operation, backend, metric) WHERE f1.workload = 'backends' AND f1.operation = 'floor' AND f1.mode = 'one'
    AND f2.mode = 'two' AND f1.metric = 'wall' AND f1.backend = b.backend), '–')
FROM report.target_scaling AS t
JOIN report.cells AS one ON one.workload = 'backends' AND one.mode = 'one' AND one.operation = t.operation AND one.metric = 'wall'
JOIN report.cells AS two ON two.workload = 'backends' AND two.mode = 'two' AND two.operation = t.operation AND two.metric = 'wall'
  AND two.backend = one.backend
JOIN report.backends AS b ON b.backend = one.backend AND b.kind = 'doublets'
UNION ALL
SELECT 10, 'Memory in use per link, both directions indexed', 'native_covering_unlogged',
  report.three(n.used_bytes::numeric / n.links) || ' B', b.position, b.backend,
  report.three(s.used_bytes::numeric / s.links) || ' B', s.used_bytes::numeric / s.links, 96, false, ' B', NULL
FROM report.backends AS b
LEFT JOIN report.sizes AS s ON s.backend = b.backend AND s.workload = 'targets'
LEFT JOIN report.sizes AS n ON n.backend = 'native_covering_unlogged' AND n.workload = 'targets'
WHERE b.kind = 'doublets'
UNION ALL
-- Only judged above 256 MB, where chunks are small beside the store, and while nothing is missing from it: memory is given
-- back with the whole store.
SELECT 11, format('Memory allocated ÷ in use, %s (judged above 256 MB)', s.workload), 'memory in use',
  round(s.used_bytes / 1048576.0, 1) || ' MB', b.position, b.backend,
  round(s.allocated_bytes / 1048576.0, 1) || ' MB', s.allocated_bytes::numeric / s.used_bytes,
  CASE WHEN s.allocated_bytes > 256 * 1048576 THEN 1.25 END, false, '×', NULL
FROM report.backends AS b
JOIN report.sizes AS s USING (backend)
WHERE b.kind = 'doublets' AND s.workload ~ '^(targets|memory [135]: .*)$'
UNION ALL
SELECT t.position, 'Core ' || t.layout || ', ' || t.operation, 'vector and two std::set', report.three(c.baseline_ns) || ' ns',
  b.position, b.backend, report.three(c.store_ns) || ' ns', c.baseline_ns / c.store_ns, t.minimum, true, '×', NULL
FROM report.target_core AS t
JOIN report.backends AS b ON b.backend = t.layout || '_volatile' AND EXISTS (SELECT FROM report.core)
LEFT JOIN report.core AS c ON c.layout = t.layout AND c.operation = t.operation;

CREATE FUNCTION report.verdict(measured numeric, demanded numeric, more_is_better boolean) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN measured IS NULL THEN 'not measured'
    WHEN demanded IS NULL THEN 'not judged'
    WHEN CASE WHEN more_is_better THEN measured >= demanded ELSE measured <= demanded END THEN 'met'
    WHEN more_is_better THEN 'missed by ' || report.three(100 * (1 - measured / demanded)) || ' %'
    ELSE 'missed by ' || report.three(100 * (measured / demanded - 1)) || ' %' END
$$;

-- One line per target and store: title, compared with, its value, store, its value, measured, the most there is, demanded,
-- verdict.
CREATE VIEW report.target_lines AS
SELECT position, slot, title, ARRAY[title, baseline, coalesce(baseline_text, '–'), backend, coalesce(store_text, '–'),
  coalesce(report.three(measured) || unit, '–'), coalesce(limit_text, '–'),
  coalesce(CASE WHEN more_is_better THEN '≥ ' ELSE '≤ ' END || report.three(demanded) || unit, '–'),
  report.verdict(measured, demanded, more_is_better)] AS fields
FROM report.verdicts;
