-- What the charts draw besides those of medians (chart_rows in cells.sql), and the list of all charts.

-- Curves: a panel per operation, a series per backend. `label` is written at its point, unless it is `-`.
CREATE TABLE report.curves (chart text, panel bigint, operation text, slot bigint, backend text, colour integer, point integer,
  x numeric, y numeric, label text);

CREATE FUNCTION report.colour(code text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT AS
$$SELECT ('x' || lpad(substr(code, 2), 8, '0'))::bit(32)::integer$$;

-- Scaling: microseconds against links, with the exponent of the fitted power of the number of links.
CREATE VIEW report.scaling AS
SELECT regexp_replace(c.title, ', 10.*', '') AS operation, min(c.row) OVER (PARTITION BY c.operation) AS row, c.slot, c.backend,
  1100 * power(10::numeric, substr(c.mode, 2)::integer - 3) AS links, c.median
FROM report.cells AS c WHERE c.workload = 'scale' AND c.mode <> 'restart' AND c.metric = 'wall';

CREATE VIEW report.exponents AS
SELECT operation, row, slot, backend, max(links) AS last,
  report.exponent(array_agg(links::double precision ORDER BY links), array_agg(median::double precision ORDER BY links)) AS exponent
FROM report.scaling GROUP BY operation, row, slot, backend HAVING count(*) > 1;

INSERT INTO report.curves
SELECT 'scale-scale', dense_rank() OVER (ORDER BY s.row), s.operation, dense_rank() OVER (ORDER BY s.slot), b.title,
  report.colour(b.colour), b.point, s.links, round(s.median, 6),
  CASE WHEN s.links = e.last THEN 'n^{' || round(e.exponent::numeric, 2) || '}' ELSE '-' END
FROM report.scaling AS s
JOIN report.backends AS b USING (backend)
LEFT JOIN report.exponents AS e ON e.row = s.row AND e.backend = s.backend;

-- Latencies, pooled over the samples and repetitions of a run.
CREATE TABLE report.latencies AS
SELECT o.position AS row, o.workload, o.mode, o.title, b.position AS slot, b.backend, count(*) AS n,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY t.latency_us::double precision)::numeric AS p50,
  percentile_cont(0.95) WITHIN GROUP (ORDER BY t.latency_us::double precision)::numeric AS p95,
  percentile_cont(0.99) WITHIN GROUP (ORDER BY t.latency_us::double precision)::numeric AS p99,
  max(t.latency_us) AS highest,
  percentile_cont('{0.01,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,0.95,0.98,0.99,0.995,0.998,0.999}'::double precision[])
    WITHIN GROUP (ORDER BY t.latency_us::double precision) AS curve
FROM report.transactions AS t
JOIN report.runs AS r USING (run)
JOIN report.operations AS o USING (workload, mode, operation)
JOIN report.backends AS b USING (backend)
GROUP BY o.position, o.workload, o.mode, o.title, b.position, b.backend;

-- Only as far as there are ten transactions beyond.
INSERT INTO report.curves
SELECT l.workload || '-latency', dense_rank() OVER (PARTITION BY l.workload ORDER BY l.row), l.title,
  dense_rank() OVER (ORDER BY l.slot), b.title, report.colour(b.colour), b.point,
  round(-log(1 - p.place), 6), round(greatest(p.us, 1)::numeric, 3), '-'
FROM report.latencies AS l
JOIN report.backends AS b USING (backend)
CROSS JOIN LATERAL unnest('{0.01,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,0.95,0.98,0.99,0.995,0.998,0.999}'::numeric[], l.curve) AS p (place, us)
WHERE (1 - p.place) * l.n >= 10 OR p.place <= 0.5;

-- Throughput against clients, and what a statement that does nothing reaches with one client.
INSERT INTO report.curves
SELECT 'contention-throughput', dense_rank() OVER (ORDER BY c.operation),
  regexp_replace(c.title, ', [0-9]+ client.*', ''), dense_rank() OVER (ORDER BY c.slot), b.title, report.colour(b.colour), b.point,
  substr(c.mode, 2)::numeric, round(1e6 / c.median, 3), '-'
FROM report.cells AS c JOIN report.backends AS b USING (backend)
WHERE c.workload = 'contention' AND c.metric = 'wall';
INSERT INTO report.curves
SELECT DISTINCT 'contention-throughput', c.panel, c.operation, (SELECT max(slot) + 1 FROM report.curves WHERE chart = c.chart),
  'floor: SELECT 1, one client', report.colour('#7f7f7f'), 1, c.x, round(1e6 / f.median, 3), '-'
FROM report.curves AS c, report.cells AS f
WHERE c.chart = 'contention-throughput' AND f.workload = 'floors' AND f.mode = 'client' AND f.operation = 'select_1' AND f.metric = 'wall';

-- Degree distributions of the real graphs.
INSERT INTO report.curves
SELECT 'degrees', dense_rank() OVER (ORDER BY graph), graph, dense_rank() OVER (ORDER BY direction),
  direction || '-degree', CASE direction WHEN 'in' THEN report.colour('#0072b2') ELSE report.colour('#d55e00') END,
  CASE direction WHEN 'in' THEN 7 ELSE 13 END, degree, nodes, '-'
FROM report.degrees WHERE degree > 0;

-- Bars of bytes, in the columns of chart_rows.
CREATE TABLE report.byte_bars (chart text, panel bigint, operation text, slot bigint, backend text, colour integer, unit text,
  low numeric, high numeric, bar numeric);
INSERT INTO report.byte_bars
SELECT 'memory', dense_rank() OVER (ORDER BY s.workload), s.workload, dense_rank() OVER (ORDER BY b.position), b.title,
  report.colour(b.colour), 'bytes per link', round(v.bytes, 2), round(v.bytes, 2), round(v.bytes, 2)
FROM report.sizes AS s JOIN report.backends AS b USING (backend)
CROSS JOIN LATERAL (VALUES (s.used_bytes::numeric / s.links)) AS v (bytes)
WHERE s.workload NOT LIKE 'memory %';
INSERT INTO report.byte_bars
WITH medians AS (
  SELECT o.position AS row, o.title, w.backend, percentile_cont(0.5) WITHIN GROUP (ORDER BY w.wal_bytes::double precision)::numeric AS bytes,
    max(max(w.wal_bytes)) OVER (PARTITION BY o.position) AS most
  FROM report.wal AS w JOIN report.operations AS o USING (workload, mode, operation)
  WHERE w.operation ~ '^(create|update|insert|delete|plain_create|plain_update|plain_delete|copy|tidy)' AND o.workload <> 'scale'
  GROUP BY o.position, o.title, w.backend
)
SELECT 'wal', dense_rank() OVER (ORDER BY m.row), m.title, dense_rank() OVER (ORDER BY b.position), b.title,
  report.colour(b.colour), 'bytes per statement', round(m.bytes, 2), round(m.bytes, 2), greatest(round(m.bytes, 2), round(0.005 * m.most, 2))
FROM medians AS m JOIN report.backends AS b USING (backend);

-- The heatmap: how many times as fast as its baseline a store is.
CREATE VIEW report.heat AS
SELECT row_number() OVER (ORDER BY r.n) - 1 AS place, r.title, c.slot, c.backend,
  c.base_median / c.median AS times, report.same(c.median, c.sd, c.base_median, c.base_sd) AS same
FROM (
  SELECT row_number() OVER (ORDER BY s.position, r.row) AS n, r.row,
    (SELECT title FROM report.sections WHERE section = r.section) || ': ' || r.title AS title
  FROM report.section_rows AS r JOIN report.sections AS s USING (section)
) AS r
JOIN report.compared AS c ON c.row = r.row AND c.metric = 'wall' AND c.kind = 'doublets'
WHERE c.base_median IS NOT NULL;

CREATE TABLE report.heat_cells AS
WITH places AS (
  SELECT title, row_number() OVER (ORDER BY min(place)) - 1 AS n FROM report.heat GROUP BY title
)
SELECT n / 48 AS panel, n % 48 AS line, h.title AS operation, dense_rank() OVER (ORDER BY slot) AS slot, b.title AS backend,
  round(greatest(-3, least(3, ln(times) / ln(2::numeric))), 4) AS heat, CASE WHEN same THEN 1 ELSE 0 END AS same,
  '×' || report.three(times) AS times
FROM report.heat AS h JOIN places AS p ON p.title = h.title JOIN report.backends AS b USING (backend);

-- Every chart: its program and options (gnuplot), its title and what one must know to read it.
CREATE TABLE report.charts (name text PRIMARY KEY, program text, source text, options text, title text, caption text);
INSERT INTO report.charts
SELECT r.section || '-' || scale, scale, 'bars', '', s.title || ', ' || CASE scale WHEN 'log' THEN 'logarithmic' ELSE 'linear' END || ' scale',
  CASE scale WHEN 'log' THEN 'Logarithmic axis: median, ± one standard deviation; ×N is how many times as fast a store is as its baseline.'
    ELSE 'Linear axes from zero, one per operation: median, ± one standard deviation; a bar too short to see is drawn at half a percent '
      'of the axis.' END
FROM (SELECT DISTINCT section FROM report.section_rows) AS r
JOIN report.sections AS s USING (section)
CROSS JOIN unnest('{linear,log}'::text[]) AS scale
WHERE 'bars' = ANY (s.charts);
INSERT INTO report.charts
SELECT c.name, 'curves', 'curves', c.options, c.title, c.caption
FROM (VALUES
  ('scale-scale', $$x_title='links'; y_title='time of one statement, µs'; x_log=1; y_log=1$$, 'Scaling: time against the number of links',
    'Both axes logarithmic. At the end of each line: how the time grows, as the fitted power of the number n of links; n^0 is constant time.'),
  ('linkbench-latency', $$x_title='share of transactions that were at most as slow'; y_title='latency, µs'; x_log=0; y_log=1; shares=1$$,
    'linkbench: latency percentiles', 'Logarithmic latency; a curve ends where fewer than ten transactions are left.'),
  ('checkout-latency', $$x_title='share of transactions that were at most as slow'; y_title='latency, µs'; x_log=0; y_log=1; shares=1$$,
    'checkout: latency percentiles', 'Logarithmic latency, counted from when a transaction was due; a curve ends where fewer than ten '
      'transactions are left.'),
  ('contention-throughput', $$x_title='clients'; y_title='transactions a second'; x_log=2; y_log=0$$, 'Throughput against clients',
    'Linear from zero. The grey line is what one client reaches with a statement that does nothing.'),
  ('degrees', $$x_title='degree'; y_title='nodes'; x_log=1; y_log=1; dots=1$$, 'Degree distributions of the real graphs',
    'Both axes logarithmic.')
) AS c (name, options, title, caption)
WHERE EXISTS (SELECT FROM report.curves WHERE chart = c.name);
INSERT INTO report.charts
SELECT c.name, 'linear', 'bytes', $$quantity=''$$, c.title, c.caption
FROM (VALUES
  ('memory', 'Memory: bytes in use per link', 'Links with all their indexes, per dataset.'),
  ('wal', 'WAL: bytes written by a statement', 'Median; commits included, and the full-page images that follow a checkpoint. Volatile stores and unlogged tables write only what a transaction itself writes.')
) AS c (name, title, caption)
WHERE EXISTS (SELECT FROM report.byte_bars WHERE chart = c.name);
INSERT INTO report.charts
SELECT 'heatmap', 'heatmap', 'heat', '', 'All operations at a glance: how many times as fast as the baseline',
  'Blue: faster than the fastest native table of the same durability class; red: slower; grey: the difference cannot be told. ×N is the '
    'ratio of the medians.'
WHERE EXISTS (SELECT FROM report.heat_cells);
