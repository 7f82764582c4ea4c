-- From samples to the cells of the tables and charts.

-- The sections of the report: a table of wall-clock time, one of CPU time, charts: `bars`, of the medians, or of what the
-- workload is about instead: `scale`, `latency`, `throughput`.
CREATE TABLE report.sections (position integer, section text, workload text, modes text[], charts text[], title text, note text);
INSERT INTO report.sections VALUES
  (1, 'links8-autocommit', 'links8', '{autocommit}', '{bars}', 'links8, autocommit',
    'Time of one iteration; every statement is committed by itself and its commit is timed.'),
  (2, 'links8-transaction', 'links8', '{transaction}', '{bars}', 'links8, inside a transaction',
    'Time of one iteration; its statements share a transaction whose COMMIT is not timed.'),
  (3, 'links8-committed', 'links8', '{committed}', '{bars}', 'links8, inside a transaction with its COMMIT',
    'The same iterations as in the section before, with the COMMIT timed.'),
  (4, 'links7', 'links7', '{autocommit}', '{bars}', 'links7',
    'Time of one iteration; every statement is committed by itself and its commit is timed.'),
  (5, 'deep', 'deep', '{server}', '{bars}', 'deep: one request per operation',
    'Time of one statement: as plain rows, and as the JSON that a GraphQL server asks the database for.'),
  (6, 'real', 'real', '{server}', '{bars}', 'real: Debian''s package dependencies',
    'Time of one question to the dependency graph, each in a transaction of its own.'),
  (7, 'real-wordnet', 'real', '{wordnet}', '{bars}', 'real: WordNet',
    'Time of one question to the graph of WordNet''s synsets and the pointers between them (each pair once).'),
  (8, 'targets', 'targets', '{server,client}', '{bars}', 'The statements of the targets',
    'Time of one statement; the two prepared ones by pgbench with one client, as an application sees them.'),
  (9, 'bulk', 'bulk', '{server}', '{bars}', 'bulk: large statements and traversals',
    'Time of one statement inside the server, the same SQL everywhere.'),
  (10, 'functions', 'functions', '{server}', '{bars}', 'functions: the function interface',
    'Stores answer through their functions, tables through SQL that says the same. The same statements as SQL on both sides '
      'are in the other sections. Traversals of tables are recursive CTEs, and "level by level" a PL/pgSQL function that asks for '
      'all links of a level at once (bench/backends/levels.sql). pgRouting reads all links anew for each question; '
      || CASE WHEN EXISTS (SELECT FROM report.operations WHERE workload = 'functions' AND operation ~ '^routing')
           THEN 'its breadth-first search is a function, too.' ELSE 'it was not measured, because the server does not have it.' END),
  (11, 'scale', 'scale', '{n3,n4,n5,n6,n7}', '{scale}', 'scale: from a thousand links up',
    'Time of one statement inside the server, each committed.'),
  (17, 'restart', 'scale', '{restart}', '{bars}', 'scale: ready after a restart',
    'From the start of a server that was stopped in an orderly way until all links are there and have been counted. Volatile stores are '
      'empty then and are filled by COPY from a file; tables have kept their links and only count them, the operating system''s cache being '
      'warm. After a crash unlogged tables are empty too, and filling them takes what COPY takes.'),
  (12, 'aged', 'aged', '{fresh,aged,after}', '{bars}', 'aged: after many updates under an old snapshot',
    'Time of one statement: after a load; after the updates, while a snapshot from before them is still held; then of what the '
      'backend does to clean up once it is gone: VACUUM, or settling.'),
  (13, 'linkbench', 'linkbench', '{c1,c4}', '{bars,latency}', 'linkbench: the mix of a social graph',
    'Seconds divided by transactions, through pgbench.'),
  (14, 'checkout', 'checkout', '{c1,c4,c16,r300,r900}', '{bars,latency}', 'checkout: a shop''s transaction',
    'With so many clients: seconds divided by transactions. With so many a second: the mean time from when a transaction was '
      'due until it was done. A checkout is a transaction of 15 statements, a quote is 6.'),
  (15, 'contention', 'contention', '{c1,c2,c4,c8,c16,c32}', '{throughput}', 'contention: many clients on one store',
    'Seconds divided by transactions, through pgbench. Two cores cannot show how many cores would scale.'),
  (20, 'backends', 'backends', '{one,two}', '{bars}', 'One backend and two',
    'Time of one iteration inside the server, a sample being one transaction, each backend on a core of its own; of two, the '
      'slower one. Updates and new links are disjoint. Count and Create use a store''s functions, and their SQL elsewhere.');

CREATE TABLE report.cells AS
SELECT o.position AS row, o.workload, o.mode, o.operation, o.title, b.position AS slot, b.backend, b.kind, b.class, m.metric,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY m.us::double precision)::numeric AS median,
  stddev_samp(m.us) AS sd, count(*) AS samples
FROM report.samples AS s
JOIN report.operations AS o USING (workload, mode, operation)
JOIN report.backends AS b USING (backend)
CROSS JOIN LATERAL (VALUES ('wall', s.wall_us), ('cpu', s.cpu_us)) AS m (metric, us)
WHERE m.us IS NOT NULL
GROUP BY o.position, o.workload, o.mode, o.operation, o.title, b.position, b.backend, b.kind, b.class, m.metric;

-- The baseline of a cell: the fastest native table of the same durability class.
CREATE VIEW report.compared AS
SELECT c.*, base.backend AS base_backend, base.median AS base_median, base.sd AS base_sd,
  base.backend IS NOT DISTINCT FROM c.backend AS is_base
FROM report.cells AS c
LEFT JOIN LATERAL (
  SELECT n.backend, n.median, n.sd FROM report.cells AS n
  WHERE n.row = c.row AND n.metric = c.metric AND n.class = c.class AND n.kind = 'native'
  ORDER BY n.median, n.slot LIMIT 1
) AS base ON true;

CREATE VIEW report.cell_texts AS
SELECT row, metric, slot, backend, is_base,
  report.duration(median) || coalesce(' ± ' || report.duration(sd), '')
  || CASE WHEN is_base OR base_median IS NULL THEN ''
       ELSE ' (' || report.ratio(median, sd, base_median, base_sd) || ')' END AS text
FROM report.compared;

-- Doublets beside the fastest durable native table: other promises, so in a table of its own.
CREATE VIEW report.across_texts AS
SELECT c.row, c.slot, c.backend, false AS is_base,
  report.duration(c.median) || ' (' || report.ratio(c.median, c.sd, base.median, base.sd) || ')' AS text
FROM report.cells AS c
JOIN LATERAL (
  SELECT n.median, n.sd FROM report.cells AS n
  WHERE n.row = c.row AND n.metric = c.metric AND n.class = 'durable' AND n.kind = 'native'
  ORDER BY n.median, n.slot LIMIT 1
) AS base ON true
WHERE c.metric = 'wall' AND c.kind = 'doublets';

-- The rows of a section, in order.
CREATE VIEW report.section_rows AS
SELECT s.section, o.position AS row, o.title
FROM report.sections AS s
JOIN report.operations AS o ON o.workload = s.workload AND o.mode = ANY (s.modes)
WHERE EXISTS (SELECT FROM report.cells AS c WHERE c.row = o.position);

-- Runs whose CPU probe, before or after, is more than a tenth above or below the median of all.
CREATE VIEW report.flagged AS
SELECT r.* FROM report.runs AS r, (
  SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY probe::double precision)::numeric AS median
  FROM report.runs, LATERAL (VALUES (probe_before_us), (probe_after_us)) AS p (probe)
) AS m
WHERE abs(r.probe_before_us - m.median) > 0.1 * m.median OR abs(r.probe_after_us - m.median) > 0.1 * m.median;

-- What the charts draw: durations in the unit of the row, low and high one standard deviation away (on the logarithmic
-- axis at least a tenth of the median), a bar that stays visible, and how many times as fast as the baseline it is.
CREATE VIEW report.chart_rows AS
SELECT r.section, dense_rank() OVER (PARTITION BY r.section ORDER BY r.row) AS panel, r.title AS operation,
  dense_rank() OVER (PARTITION BY r.section ORDER BY c.slot) AS slot, b.title AS backend,
  ('x' || lpad(substr(b.colour, 2), 8, '0'))::bit(32)::integer AS colour, b.point,
  u.name AS unit, round(c.median / u.size, 6) AS median,
  round(greatest(c.median - coalesce(c.sd, 0), 0) / u.size, 6) AS low,
  round((c.median + coalesce(c.sd, 0)) / u.size, 6) AS high,
  round(greatest(c.median, 0.005 * w.highest) / u.size, 6) AS bar,
  round(c.median, 6) AS median_us,
  round(greatest(c.median - coalesce(c.sd, 0), c.median / 10), 6) AS low_us,
  round(c.median + coalesce(c.sd, 0), 6) AS high_us,
  CASE WHEN c.kind = 'doublets' AND c.base_median IS NOT NULL THEN 1 ELSE 0 END AS labelled,
  coalesce('×' || report.three(c.base_median / c.median), 'no baseline') AS times
FROM report.section_rows AS r
JOIN report.compared AS c ON c.row = r.row AND c.metric = 'wall'
JOIN report.backends AS b ON b.backend = c.backend
JOIN LATERAL (
  SELECT max(median + coalesce(sd, 0)) AS highest FROM report.cells WHERE row = r.row AND metric = 'wall'
) AS w ON true
CROSS JOIN LATERAL report.unit(w.highest) AS u;

CREATE FUNCTION report.provenance(of_key text) RETURNS text LANGUAGE sql STABLE AS
'SELECT value FROM report.provenance WHERE key = of_key';
