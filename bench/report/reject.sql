-- What makes a result unfit to be reported. Every fault found is named; any of them ends the script.
CREATE FUNCTION report.faults() RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT 'missing provenance: ' || wanted
  FROM unnest('{date,size,workloads,backends,seed,repetitions,samples,warm_up_seconds,sample_seconds,
    links8_background_links,links8_links,targets_links,measuring_seconds,commit,cpu,cores,memory_kb,kernel,file_system,
    fdatasync_us,compiler,server,setting shared_buffers,setting fsync,setting synchronous_commit}'::text[]) AS wanted
  WHERE NOT EXISTS (SELECT FROM report.provenance WHERE key = wanted AND value <> '')
  UNION ALL
  SELECT 'provenance given twice: ' || key FROM report.provenance GROUP BY key HAVING count(*) > 1
  UNION ALL
  SELECT 'missing provenance: extension'
  WHERE EXISTS (SELECT FROM report.backends WHERE kind = 'doublets')
    AND NOT EXISTS (SELECT FROM report.provenance WHERE key = 'extension')
  UNION ALL
  SELECT 'no samples' WHERE NOT EXISTS (SELECT FROM report.samples)
  UNION ALL
  SELECT DISTINCT 'unknown backend: ' || backend FROM (SELECT backend FROM report.samples UNION SELECT backend FROM report.runs
    UNION SELECT backend FROM report.sizes) AS used
  WHERE backend NOT IN (SELECT backend FROM report.backends)
  UNION ALL
  SELECT DISTINCT concat_ws(' ', 'unknown operation:', workload, mode, operation)
  FROM (SELECT workload, mode, operation FROM report.samples UNION SELECT workload, mode, operation FROM report.runs) AS used
  WHERE (workload, mode, operation) NOT IN (SELECT workload, mode, operation FROM report.operations)
  UNION ALL
  SELECT 'backend missing from the list: ' || wanted
  FROM report.provenance, unnest(string_to_array(value, ' ')) AS wanted
  WHERE key = 'backends' AND wanted NOT IN (SELECT backend FROM report.backends)
  UNION ALL
  SELECT concat_ws(' ', 'not measured:', o.workload, o.mode, o.operation, b.backend)
  FROM report.provenance AS p
  JOIN report.operations AS o ON o.workload = ANY (string_to_array(p.value, ' '))
  JOIN report.backends AS b ON (o.workload = 'floors') = (b.kind = 'server')
  WHERE p.key = 'workloads' AND NOT ARRAY[o.workload || ' ' || b.backend, concat_ws(' ', o.workload, o.operation, b.backend)]
    && string_to_array(coalesce((SELECT value FROM report.provenance WHERE key = 'left_out'), ''), ',') AND NOT EXISTS (
    SELECT FROM report.samples AS s
    WHERE (s.workload, s.mode, s.operation, s.backend) = (o.workload, o.mode, o.operation, b.backend))
  UNION ALL
  SELECT concat_ws(' ', 'given twice:', workload, mode, operation, backend, repetition, sample)
  FROM report.samples GROUP BY workload, mode, operation, backend, repetition, sample HAVING count(*) > 1
  UNION ALL
  SELECT concat_ws(' ', 'run given twice:', workload, mode, operation, backend, repetition)
  FROM report.runs GROUP BY workload, mode, operation, backend, repetition HAVING count(*) > 1
  UNION ALL
  SELECT concat_ws(' ', 'not a positive duration:', workload, mode, operation, backend, repetition, sample, wall_us, cpu_us)
  FROM report.samples
  WHERE wall_us IS NULL OR NOT (wall_us > 0 AND wall_us < 'infinity') OR NOT (coalesce(cpu_us, 1) > 0 AND coalesce(cpu_us, 1) < 'infinity')
    OR iterations < 1
  UNION ALL
  SELECT format('%s %s %s %s, repetition %s: %s samples instead of %s', r.workload, m.mode, r.operation, r.backend,
    r.repetition, count(s.sample), r.samples)
  FROM report.runs AS r
  CROSS JOIN LATERAL (SELECT r.mode UNION SELECT 'committed' WHERE r.mode = 'transaction') AS m (mode)
  LEFT JOIN report.samples AS s ON (s.workload, s.mode, s.operation, s.backend, s.repetition)
    = (r.workload, m.mode, r.operation, r.backend, r.repetition)
  GROUP BY r.workload, m.mode, r.operation, r.backend, r.repetition, r.samples
  HAVING count(s.sample) <> r.samples
  UNION ALL
  SELECT DISTINCT concat_ws(' ', 'samples without a run:', s.workload, s.mode, s.operation, s.backend, s.repetition)
  FROM report.samples AS s
  WHERE NOT EXISTS (SELECT FROM report.runs AS r
    WHERE (r.workload, r.operation, r.backend, r.repetition) = (s.workload, s.operation, s.backend, s.repetition)
      AND r.mode = CASE s.mode WHEN 'committed' THEN 'transaction' ELSE s.mode END)
  UNION ALL
  -- The server said the medians when it measured; they must follow from the samples that are here.
  SELECT concat_ws(' ', 'the median does not follow from the samples:', workload, mode, operation, backend, m.median_us)
  FROM report.medians AS m
  FULL JOIN (
    SELECT workload, mode, operation, backend, percentile_cont(0.5) WITHIN GROUP (ORDER BY wall_us::double precision)::numeric AS median_us
    FROM report.samples GROUP BY workload, mode, operation, backend
  ) AS s USING (workload, mode, operation, backend)
  WHERE (abs(m.median_us - s.median_us) <= 1e-6 * s.median_us) IS NOT TRUE
  UNION ALL
  SELECT concat_ws(' ', 'another number of samples than the report says:', r.workload, r.mode, r.operation, r.backend, r.samples)
  FROM report.runs AS r
  WHERE r.samples::text <> ALL (ARRAY(SELECT value FROM report.provenance WHERE key IN ('samples', 'heavy_samples', 'load_samples')))
    AND NOT (r.workload = 'aged' AND r.operation = 'tidy' AND r.samples = 1)
  UNION ALL
  SELECT concat_ws(' ', 'transactions of an unknown run:', run) FROM (SELECT DISTINCT run FROM report.transactions
    UNION SELECT run FROM report.waits) AS t
  WHERE run NOT IN (SELECT run FROM report.runs)
  UNION ALL
  SELECT concat_ws(' ', 'not a latency:', run, sample, client, number, latency_us) FROM report.transactions WHERE (latency_us >= 0) IS NOT TRUE
  UNION ALL
  SELECT concat_ws(' ', 'not a number of bytes:', workload, mode, operation, backend, wal_bytes) FROM report.wal
  WHERE (wal_bytes >= 0 AND wal_bytes < 'infinity') IS NOT TRUE
  UNION ALL
  SELECT concat_ws(' ', 'not a size:', workload, backend, links, used_bytes, allocated_bytes) FROM report.sizes
  WHERE NOT (links > 0 AND used_bytes > 0 AND allocated_bytes >= used_bytes)
  UNION ALL
  SELECT 'different numbers of links: ' || workload FROM report.sizes GROUP BY workload HAVING count(DISTINCT links) > 1
  UNION ALL
  SELECT concat_ws(' ', 'not a core result:', operation, layout, baseline_ns, store_ns) FROM report.core
  WHERE (baseline_ns > 0 AND store_ns > 0) IS NOT TRUE
$$;

DO $$
DECLARE
  faults text;
BEGIN
  SELECT string_agg(fault, E'\n' ORDER BY fault) INTO faults FROM (SELECT fault FROM report.faults() AS fault LIMIT 50) AS f;
  IF faults IS NOT NULL THEN
    RAISE EXCEPTION E'the results cannot be reported:\n%', faults;
  END IF;
END $$;
