-- The tables of tests and of what is no median: significance, ranks, latencies, waits, exponents, WAL.

-- Stores against their baseline: ratio of the medians (baseline ÷ store) with its bootstrap interval, and Mann–Whitney's p
-- after Holm's adjustment over the whole report.
CREATE TABLE report.significance AS
WITH tested AS (
  SELECT c.row, c.slot, c.backend, c.base_backend, b.ratio, b.low, b.high, t.p
  FROM report.compared AS c
  CROSS JOIN LATERAL (
    SELECT ARRAY(SELECT s.wall_us::double precision FROM report.samples AS s
        WHERE (s.workload, s.mode, s.operation, s.backend) = (c.workload, c.mode, c.operation, c.backend) ORDER BY repetition, sample) AS own,
      ARRAY(SELECT s.wall_us::double precision FROM report.samples AS s
        WHERE (s.workload, s.mode, s.operation, s.backend) = (c.workload, c.mode, c.operation, c.base_backend) ORDER BY repetition, sample) AS base
  ) AS s
  CROSS JOIN LATERAL report.bootstrap(s.own, s.base, report.provenance('seed'), 200) AS b
  CROSS JOIN LATERAL report.mann_whitney(s.own, s.base) AS t
  WHERE c.metric = 'wall' AND c.kind = 'doublets' AND c.base_backend IS NOT NULL
), numbered AS (
  SELECT *, row_number() OVER (ORDER BY row, slot) AS n FROM tested
)
SELECT t.row, t.slot, t.backend, t.base_backend, t.ratio, t.low, t.high, h.p
FROM numbered AS t
JOIN unnest(report.holm(ARRAY(SELECT p FROM tested ORDER BY row, slot))) WITH ORDINALITY AS h (p, n) USING (n);

CREATE FUNCTION report.significance_table(of_section text, OUT line bigint, OUT cells text[]) RETURNS SETOF record
LANGUAGE sql STABLE AS $$
  WITH used AS (
    SELECT g.*, r.title FROM report.significance AS g JOIN report.section_rows AS r USING (row) WHERE r.section = of_section
  )
  SELECT 0::bigint, ARRAY['operation', 'store', 'baseline', 'times as fast', '95 % interval (bootstrap)', 'p (Mann–Whitney, Holm)']
  WHERE EXISTS (SELECT FROM used)
  UNION ALL
  SELECT row_number() OVER (ORDER BY row, slot), ARRAY[title, backend, base_backend, '×' || report.three(ratio::numeric),
    report.three(low::numeric) || ' to ' || report.three(high::numeric),
    CASE WHEN p < 0.0001 THEN '< 0.0001' ELSE round(p::numeric, 4)::text END]
  FROM used
$$;

-- Friedman and Nemenyi: operations are the blocks, backends the treatments; only operations that every backend has count.
CREATE FUNCTION report.rank_table(of_section text, OUT line bigint, OUT cells text[]) RETURNS SETOF record
LANGUAGE sql STABLE AS $$
  WITH used AS (
    SELECT c.row, c.slot, c.backend, c.median::double precision AS median
    FROM report.cells AS c JOIN report.section_rows AS r USING (row) WHERE r.section = of_section AND c.metric = 'wall'
  ), whole AS (
    SELECT row FROM used GROUP BY row HAVING count(*) = (SELECT count(DISTINCT backend) FROM used)
  ), size AS (
    SELECT count(DISTINCT row)::integer AS n, count(DISTINCT backend)::integer AS k FROM used WHERE row IN (SELECT row FROM whole)
  ), test AS (
    SELECT f.*, size.n, size.k FROM size, report.friedman((
      SELECT array_agg(medians ORDER BY row) FROM (
        SELECT row, array_agg(median ORDER BY slot) AS medians FROM used WHERE row IN (SELECT row FROM whole) GROUP BY row
      ) AS m)) AS f
    WHERE size.n >= 5 AND size.k BETWEEN 3 AND 10
  )
  SELECT 0::bigint, ARRAY['comparison', 'Friedman'] || array_agg(backend ORDER BY slot)
  FROM (SELECT DISTINCT slot, backend FROM used) AS b WHERE EXISTS (SELECT FROM test) HAVING count(*) > 0
  UNION ALL
  SELECT 1, ARRAY['mean rank', format('χ² %s, p %s; ranks differ if %s apart (Nemenyi)', report.three(chi_square::numeric),
      CASE WHEN p < 0.0001 THEN '< 0.0001' ELSE round(p::numeric, 4)::text END, report.three(report.nemenyi(k, n)::numeric))]
    || ARRAY(SELECT round(rank::numeric, 2)::text FROM unnest(mean_ranks) WITH ORDINALITY AS r (rank, j) ORDER BY j)
  FROM test
$$;

CREATE FUNCTION report.latency_table(of_section text, OUT line bigint, OUT cells text[]) RETURNS SETOF record
LANGUAGE sql STABLE AS $$
  WITH used AS (
    SELECT l.* FROM report.latencies AS l JOIN report.section_rows AS r USING (row) WHERE r.section = of_section
  )
  SELECT 0::bigint, 'operation'::text || array_agg(backend ORDER BY slot) FROM (SELECT DISTINCT slot, backend FROM used) AS b HAVING count(*) > 0
  UNION ALL
  SELECT row, title || array_agg(concat_ws(' / ', report.duration(p50), report.duration(p95), report.duration(p99), report.duration(highest))
    ORDER BY slot)
  FROM used GROUP BY row, title
$$;

CREATE FUNCTION report.wait_table(of_section text, OUT line bigint, OUT cells text[]) RETURNS SETOF record
LANGUAGE sql STABLE AS $$
  WITH seen AS (
    SELECT o.position AS row, o.title, b.position AS slot, b.backend, w.event, sum(w.seen) AS seen,
      sum(sum(w.seen)) OVER (PARTITION BY o.position, b.position) AS looks
    FROM report.waits AS w JOIN report.runs AS r USING (run) JOIN report.operations AS o USING (workload, mode, operation)
    JOIN report.backends AS b USING (backend)
    GROUP BY o.position, o.title, b.position, b.backend, w.event
  ), told AS (
    SELECT row, title, slot, backend,
      string_agg(format('%s %s %%', event, round(100 * seen / looks)), ', ' ORDER BY seen DESC, event) AS text
    FROM seen WHERE seen >= 0.05 * looks GROUP BY row, title, slot, backend
  ), used AS (
    SELECT t.* FROM told AS t JOIN report.section_rows AS r USING (row) WHERE r.section = of_section
  )
  SELECT 0::bigint, ARRAY['operation', 'backend', 'seen']::text[] WHERE EXISTS (SELECT FROM used)
  UNION ALL
  SELECT row_number() OVER (ORDER BY row, slot), ARRAY[title, backend, text] FROM used
$$;

CREATE FUNCTION report.exponent_table(OUT line bigint, OUT cells text[]) RETURNS SETOF record LANGUAGE sql STABLE AS $$
  SELECT 0::bigint, 'operation'::text || array_agg(backend ORDER BY slot) FROM (SELECT DISTINCT slot, backend FROM report.exponents) AS b
  HAVING count(*) > 0
  UNION ALL
  SELECT row, operation || array_agg(round(exponent::numeric, 2)::text ORDER BY slot) FROM report.exponents GROUP BY row, operation
$$;

CREATE FUNCTION report.wal_table(OUT line bigint, OUT cells text[]) RETURNS SETOF record LANGUAGE sql STABLE AS $$
  WITH slots AS (
    SELECT DISTINCT slot, backend FROM report.byte_bars WHERE chart = 'wal'
  )
  SELECT 0::bigint, 'operation'::text || array_agg(backend ORDER BY slot) FROM slots HAVING count(*) > 0
  UNION ALL
  SELECT o.panel, o.operation || array_agg(coalesce(report.three(b.high), '–') ORDER BY s.slot)
  FROM (SELECT DISTINCT panel, operation FROM report.byte_bars WHERE chart = 'wal') AS o
  CROSS JOIN slots AS s
  LEFT JOIN report.byte_bars AS b ON b.chart = 'wal' AND b.panel = o.panel AND b.slot = s.slot
  GROUP BY o.panel, o.operation
$$;
