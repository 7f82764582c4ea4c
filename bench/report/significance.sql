-- Tests of significance and intervals, as functions in schema `report`; test_statistics.sql holds their worked values.

-- The complementary error function, which PostgreSQL 15 lacks: its Taylor series near 0, beyond it the continued fraction
-- (Abramowitz and Stegun, 7.1.6 and 7.1.14), from the innermost term outwards. Good to about 1e-14.
CREATE FUNCTION report.erfc(x double precision) RETURNS double precision LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  term double precision;
  total double precision;
  n integer := 0;
BEGIN
  IF x < 0 THEN
    RETURN 2 - report.erfc(-x);
  ELSIF x > 26 THEN
    RETURN 0;
  ELSIF x < 2.5 THEN
    term := x;
    total := x;
    WHILE term > 1e-18 * total LOOP
      n := n + 1;
      term := term * 2 * x * x / (2 * n + 1);
      total := total + term;
    END LOOP;
    RETURN 1 - 2 / sqrt(pi()) * exp(-x * x) * total;
  END IF;
  total := x;
  FOR k IN REVERSE 120..1 LOOP
    total := x + k / 2.0 / total;
  END LOOP;
  RETURN exp(-x * x) / sqrt(pi()) / total;
END $$;

-- The probability that a χ² with `freedom` degrees of freedom is at least `x`: finite sums (Abramowitz and Stegun, 26.4.4
-- and 26.4.5).
CREATE FUNCTION report.chi_square_p(x double precision, freedom integer) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  term double precision := CASE WHEN freedom % 2 = 0 THEN exp(-x / 2) ELSE sqrt(2 * x / pi()) * exp(-x / 2) END;
  total double precision := CASE WHEN freedom % 2 = 0 THEN 0 ELSE report.erfc(sqrt(x / 2)) END;
BEGIN
  FOR j IN 1..freedom / 2 LOOP
    total := total + term;
    term := term * x / CASE WHEN freedom % 2 = 0 THEN 2 * j ELSE 2 * j + 1 END;
  END LOOP;
  RETURN total;
END $$;

-- Mann–Whitney: the smaller U, z with tie correction and continuity correction, two-sided p by the normal approximation.
CREATE FUNCTION report.mann_whitney(a double precision[], b double precision[],
  OUT u double precision, OUT z double precision, OUT p double precision)
LANGUAGE sql IMMUTABLE STRICT AS $$
  WITH pooled AS (
    SELECT 1 AS sample, v FROM unnest(a) AS v UNION ALL SELECT 2, v FROM unnest(b) AS v
  ), ranked AS (
    SELECT sample, rank() OVER (ORDER BY v) + (count(*) OVER (PARTITION BY v) - 1) / 2.0 AS rank FROM pooled
  ), ties AS (
    SELECT coalesce(sum(t * t * t - t), 0) AS correction FROM (SELECT count(*)::numeric AS t FROM pooled GROUP BY v) AS g
  ), counts AS (
    SELECT cardinality(a)::double precision AS n1, cardinality(b)::double precision AS n2,
      (SELECT sum(rank) FROM ranked WHERE sample = 1)::double precision AS r1
  ), test AS (
    SELECT least(r1 - n1 * (n1 + 1) / 2, n1 * n2 + n1 * (n1 + 1) / 2 - r1) AS u, n1 * n2 / 2 AS mean,
      sqrt(n1 * n2 / 12 * (n1 + n2 + 1 - correction::double precision / ((n1 + n2) * (n1 + n2 - 1)))) AS sd
    FROM counts, ties
  )
  SELECT u, standard, report.erfc(standard / sqrt(2::double precision))
  FROM test, LATERAL (SELECT CASE WHEN sd > 0 THEN greatest(mean - u - 0.5, 0) / sd ELSE 0 END) AS s (standard)
$$;

-- Holm's adjustment of p-values, in the order given.
CREATE FUNCTION report.holm(p double precision[]) RETURNS double precision[] LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT array_agg(adjusted ORDER BY i) FROM (
    SELECT i, least(1, max(value * (cardinality(p) - place + 1)) OVER (ORDER BY place)) AS adjusted
    FROM (SELECT value, i, row_number() OVER (ORDER BY value, i) AS place FROM unnest(p) WITH ORDINALITY AS v (value, i)) AS placed
  ) AS stepped
$$;

-- Friedman's test of a matrix, a row per block, a column per treatment: mean ranks, χ² with tie correction, p.
CREATE FUNCTION report.friedman(matrix double precision[], OUT mean_ranks double precision[], OUT chi_square double precision,
  OUT p double precision)
LANGUAGE sql IMMUTABLE STRICT AS $$
  WITH cells AS (
    SELECT i, j, matrix[i][j] AS v FROM generate_series(1, array_length(matrix, 1)) AS i, generate_series(1, array_length(matrix, 2)) AS j
  ), ranked AS (
    SELECT i, j, rank() OVER (PARTITION BY i ORDER BY v) + (count(*) OVER (PARTITION BY i, v) - 1) / 2.0 AS rank FROM cells
  ), sums AS (
    SELECT j, sum(rank) AS total FROM ranked GROUP BY j
  ), size AS (
    SELECT array_length(matrix, 1)::numeric AS n, array_length(matrix, 2)::numeric AS k
  ), test AS (
    SELECT (k - 1) * (SELECT sum((total - n * (k + 1) / 2) ^ 2) FROM sums)
        / nullif((SELECT sum(rank * rank) FROM ranked) - n * k * (k + 1) ^ 2 / 4, 0) AS chi_square, k
    FROM size
  )
  SELECT (SELECT array_agg((total / n)::double precision ORDER BY j) FROM sums, size), test.chi_square::double precision,
    report.chi_square_p(test.chi_square::double precision, test.k::integer - 1)
  FROM test
$$;

-- How far the mean ranks of two of `treatments` (2 to 10) over `blocks` must be apart to differ at 5 % (Nemenyi).
CREATE FUNCTION report.nemenyi(treatments integer, blocks integer) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT ('{1.960,2.343,2.569,2.728,2.850,2.949,3.031,3.102,3.164}'::double precision[])[treatments - 1]
    * sqrt(treatments * (treatments + 1) / (6.0 * blocks))
$$;

CREATE FUNCTION report.median(samples double precision[]) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT AS
'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM unnest(samples) AS v';

-- The bootstrap's draw number `i` of repetition `rep` from sample `g` of `n` values: an index from 0, the same everywhere.
CREATE FUNCTION report.draw(seed text, g integer, rep integer, i integer, n integer) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT (('x' || left(md5(concat_ws(':', seed, g, rep, i)), 8))::bit(32)::bigint & 4294967295)::bigint % n
$$;

-- The ratio of the medians of b and a, with its 95 % interval by the bootstrap's percentile method.
CREATE FUNCTION report.bootstrap(a double precision[], b double precision[], seed text, repetitions integer,
  OUT ratio double precision, OUT low double precision, OUT high double precision)
LANGUAGE sql IMMUTABLE STRICT AS $$
  WITH drawn AS (
    SELECT rep,
      (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY b[1 + report.draw(seed, 1, rep, i, cardinality(b))])
        FROM generate_series(0, cardinality(b) - 1) AS i)
      / (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a[1 + report.draw(seed, 0, rep, i, cardinality(a))])
        FROM generate_series(0, cardinality(a) - 1) AS i) AS ratio
    FROM generate_series(0, repetitions - 1) AS rep
  )
  SELECT report.median(b) / report.median(a), percentile_cont(0.025) WITHIN GROUP (ORDER BY drawn.ratio),
    percentile_cont(0.975) WITHIN GROUP (ORDER BY drawn.ratio)
  FROM drawn
$$;

-- The exponent b of y = a·x^b fitted by least squares of the logarithms.
CREATE FUNCTION report.exponent(x double precision[], y double precision[]) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT AS
'SELECT regr_slope(ln(b), ln(a)) FROM unnest(x, y) AS p (a, b)';
