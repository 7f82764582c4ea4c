-- The worked values of the statistics. Run it on any database (it changes nothing):
--   psql -X -f bench/report/test_statistics.sql
-- Prints a line per value; the exit status is not 0 when one is wrong.
\set ON_ERROR_STOP on
\set QUIET on
\pset tuples_only on
\pset format unaligned
BEGIN;
\ir statistics.sql
\ir significance.sql
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
INSERT INTO checks (name, got, wanted)
SELECT 'Mann-Whitney with ties', format('%s %s %s', u, round(z::numeric, 10), round(p::numeric, 10)), '2.5 2.0152543264 0.0438780079'
FROM report.mann_whitney('{12,15,11,15,18}', '{15,20,22,18,25}')
UNION ALL
SELECT 'Mann-Whitney is symmetric', format('%s %s %s', u, round(z::numeric, 10), round(p::numeric, 10)), '2.5 2.0152543264 0.0438780079'
FROM report.mann_whitney('{15,20,22,18,25}', '{12,15,11,15,18}')
UNION ALL
SELECT 'Mann-Whitney, apart', format('%s %s %s', u, round(z::numeric, 10), round(p::numeric, 11)), '0 3.7418482828 0.00018267179'
FROM report.mann_whitney('{1,2,3,4,5,6,7,8,9,10}', '{11,12,13,14,15,16,17,18,19,20}')
UNION ALL
SELECT 'Mann-Whitney, all equal', format('%s %s', z, p), '0 1' FROM report.mann_whitney('{7,7,7}', '{7,7,7}')
UNION ALL
SELECT 'Holm', report.holm('{.01,.04,.03,.005}')::text, '{0.03,0.06,0.06,0.02}'
UNION ALL
SELECT 'Friedman with ties', format('%s %s %s', mean_ranks, round(chi_square::numeric, 10), round(p::numeric, 10)),
  '{1.1,2.4,2.5,4} 13.1875000000 0.0042481819'
FROM report.friedman('{{10,12,12,20},{11,14,13,25},{9,9,15,22},{12,13,14,21},{10,15,11,19}}')
UNION ALL
SELECT 'Nemenyi', round(report.nemenyi(4, 5)::numeric, 7)::text, '2.0975797'
UNION ALL
SELECT 'Nemenyi: only the first and last differ', string_agg(a.j || '-' || b.j, ' '), '1-4'
FROM report.friedman('{{10,12,12,20},{11,14,13,25},{9,9,15,22},{12,13,14,21},{10,15,11,19}}') AS f,
  unnest(f.mean_ranks) WITH ORDINALITY AS a (r, j), unnest(f.mean_ranks) WITH ORDINALITY AS b (r, j)
WHERE a.j < b.j AND abs(a.r - b.r) > report.nemenyi(4, 5)
UNION ALL
SELECT 'bootstrap', format('%s %s %s', round(ratio::numeric, 10), low, round(high::numeric, 10)), '1.9130434783 1.75 2.1818181818'
FROM report.bootstrap('{10,12,11,13,12,11,10,14,12,11}', '{20,22,25,21,23,24,20,26,22,21}', '1', 2000)
UNION ALL
SELECT 'erfc at ' || x, report.erfc(x)::numeric(20, 12)::text, wanted
FROM (VALUES (0, '1.000000000000'), (0.5, '0.479500122187'), (1, '0.157299207050'), (2.4999, '0.000407169900'),
  (3, '0.000022090497'), (-1, '1.842700792950')) AS v (x, wanted)
UNION ALL
SELECT 'χ² with two degrees of freedom', round(report.chi_square_p(5.991464547, 2)::numeric, 9)::text, '0.050000000'
UNION ALL
SELECT 'percentiles', (percentile_cont('{0.5,0.95,0.99}'::float8[]) WITHIN GROUP (ORDER BY v))::text, '{50.5,95.05,99.01}'
FROM generate_series(1, 100) AS v
UNION ALL
SELECT 'exponent of a straight line', round(report.exponent('{1000,10000,100000}', '{2,20,200}')::numeric, 6)::text, '1.000000';
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
