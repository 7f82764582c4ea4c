-- The worked values of the statistics. Run it on any database (it changes nothing):
--   psql -X -f bench/report/test_statistics.sql
-- Prints a line per value; the exit status is not 0 when one is wrong.
\set ON_ERROR_STOP on
\set QUIET on
\pset tuples_only on
\pset format unaligned
BEGIN;
\ir statistics.sql
CREATE TEMPORARY TABLE checks (n integer GENERATED ALWAYS AS IDENTITY, name text, got text, wanted text);
INSERT INTO checks (name, got, wanted)
SELECT 'median of {12,15,11,15,18,40}', percentile_cont(0.5) WITHIN GROUP (ORDER BY v)::text, '15'
FROM unnest('{12,15,11,15,18,40}'::float8[]) AS v
UNION ALL
SELECT 'sample sd of {12,15,11,15,18,40}', round(stddev_samp(v), 10)::text, '10.8212753407'
FROM unnest('{12,15,11,15,18,40}'::numeric[]) AS v;
INSERT INTO checks (name, got, wanted) VALUES
  ('half the time', report.ratio(50, 0, 100, 0), '2× faster'),
  ('twice the time', report.ratio(200, 0, 100, 0), '2× slower'),
  ('less than 5 % apart', report.ratio(104, 0, 100, 0), '≈ same'),
  ('5 % of the larger apart', report.ratio(100, 0, 95, 0), '1.05× slower'),
  ('ranges overlap', report.ratio(70, 20, 100, 15), '≈ same'),
  ('ranges do not overlap', report.ratio(70, 10, 100, 15), '1.43× faster'),
  ('single samples', report.ratio(50, NULL, 100, NULL), '2× faster'),
  ('three digits below ten', report.three(1.0999), '1.1'),
  ('three digits below a hundred', report.three(13.34), '13.3'),
  ('three digits, hundreds', report.three(101.4), '101'),
  ('three digits, thousands', report.three(4484.9), '4,480'),
  ('three digits, rounding up', report.three(9.999), '10'),
  ('three digits, small', report.three(0.012345), '0.0123'),
  ('zero', report.three(0), '0'),
  ('nanoseconds', report.duration(0.7213), '721 ns'),
  ('microseconds', report.duration(2.54), '2.54 µs'),
  ('milliseconds', report.duration(9360), '9.36 ms'),
  ('seconds', report.duration(1810000), '1.81 s'),
  ('the unit follows rounding', report.duration(999.9), '1 ms'),
  ('no duration', report.duration(0), '0 ns'),
  ('html', report.html('a<b & "c"'), 'a&lt;b &amp; &quot;c&quot;');
SELECT CASE WHEN got = wanted THEN 'ok ' ELSE 'not ok ' END || n || ' - ' || name
  || CASE WHEN got = wanted THEN '' ELSE format(': %s instead of %s', coalesce(got, 'NULL'), wanted) END
FROM checks ORDER BY n;
SELECT '1..' || count(*) FROM checks;
DO $$
BEGIN
  IF EXISTS (SELECT FROM checks WHERE got IS DISTINCT FROM wanted) THEN
    RAISE EXCEPTION 'worked values are wrong';
  END IF;
END $$;
ROLLBACK;
