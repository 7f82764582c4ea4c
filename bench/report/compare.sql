-- Two results side by side, in schemas `first` and `report`: every cell of wall-clock time that both have. Markdown on
-- stdout; the last line says how far the verdicts agree.
CREATE FUNCTION report.verdict_word(is_base boolean, median numeric, sd numeric, base numeric, base_sd numeric) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN is_base OR base IS NULL THEN 'baseline' WHEN report.same(median, sd, base, base_sd) THEN 'same'
    WHEN median < base THEN 'faster' ELSE 'slower' END
$$;

DO $$
DECLARE
  differing text;
BEGIN
  SELECT string_agg(format('%s: %s and %s', key, a.value, b.value), E'\n' ORDER BY key) INTO differing
  FROM first.provenance AS a JOIN report.provenance AS b USING (key)
  WHERE a.value <> b.value AND key ~ '_links$|^aged_updates$';
  IF differing IS NOT NULL THEN
    RAISE EXCEPTION E'the results are of different workloads:\n%', differing;
  END IF;
END $$;

CREATE TABLE report.pairs AS
SELECT b.row, b.slot, b.workload, b.mode, b.title, b.backend, a.median AS old_median, a.sd AS old_sd, b.median AS new_median,
  b.sd AS new_sd, report.verdict_word(a.is_base, a.median, a.sd, a.base_median, a.base_sd) AS old_verdict,
  report.verdict_word(b.is_base, b.median, b.sd, b.base_median, b.base_sd) AS new_verdict,
  (report.mann_whitney(
    ARRAY(SELECT s.wall_us::double precision FROM first.samples AS s
      WHERE (s.workload, s.mode, s.operation, s.backend) = (a.workload, a.mode, a.operation, a.backend)),
    ARRAY(SELECT s.wall_us::double precision FROM report.samples AS s
      WHERE (s.workload, s.mode, s.operation, s.backend) = (b.workload, b.mode, b.operation, b.backend)))).p
FROM first.compared AS a
JOIN report.compared AS b USING (workload, mode, operation, backend, metric)
WHERE b.metric = 'wall';

-- p after Holm's adjustment over all cells.
CREATE TABLE report.adjusted AS
SELECT i.*, h.p AS adjusted
FROM (SELECT *, row_number() OVER (ORDER BY row, slot) AS n FROM report.pairs) AS i
JOIN unnest(report.holm(ARRAY(SELECT p FROM report.pairs ORDER BY row, slot))) WITH ORDINALITY AS h (p, n) USING (n);

SELECT '| workload | operation | backend | first | second | second ÷ first | p (Holm) | verdicts |' || E'\n|---|---|---|---|---|---|---|---|';
SELECT '| ' || concat_ws(' | ', workload || ' ' || mode, report.markdown(title), backend, report.duration(old_median),
  report.duration(new_median), report.ratio(new_median, new_sd, old_median, old_sd), round(adjusted::numeric, 4),
  CASE WHEN old_verdict = new_verdict THEN old_verdict ELSE old_verdict || ' → ' || new_verdict END) || ' |'
FROM report.adjusted ORDER BY row, slot;

SELECT E'\n' || CASE WHEN count(*) = 0 THEN 'the two results have no cell in common'
  ELSE format('%s cells in common; beside their baselines, %s of %s verdicts agree (%s %%); %s turned from faster to slower or back', count(*),
    count(*) FILTER (WHERE judged AND old_verdict = new_verdict), count(*) FILTER (WHERE judged),
    round(100.0 * count(*) FILTER (WHERE judged AND old_verdict = new_verdict) / greatest(count(*) FILTER (WHERE judged), 1), 1),
    count(*) FILTER (WHERE ARRAY[old_verdict, new_verdict] IN ('{faster,slower}', '{slower,faster}'))) END
FROM (SELECT *, old_verdict <> 'baseline' AND new_verdict <> 'baseline' AS judged FROM report.pairs) AS p;
