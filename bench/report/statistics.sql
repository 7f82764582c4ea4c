-- The statistics of the report, as functions in schema `report`. test_statistics.sql holds their worked values.
-- Median: percentile_cont(0.5); spread: sample standard deviation, stddev_samp.
CREATE SCHEMA report;

-- A positive number with three significant digits, thousands separated: 1.1, 13.3, 101, 4,480, 0.0123.
CREATE FUNCTION report.three(value numeric) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT CASE WHEN value = 0 THEN '0'
    WHEN abs(rounded) >= 1000 THEN to_char(rounded, 'FM999,999,999,999,990')
    ELSE trim_scale(rounded)::text END
  FROM (SELECT round(value, 2 - floor(log(abs(nullif(value, 0))))::integer)) AS r (rounded)
$$;

-- The unit in which a duration given in microseconds is written, and how many microseconds it has. It is chosen after
-- rounding, so that 999.9 µs is 1 ms.
CREATE FUNCTION report.unit(us numeric, OUT name text, OUT size numeric) LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT u.name, u.size
  FROM (VALUES ('ns', 0.001), ('µs', 1), ('ms', 1000), ('s', 1000000)) AS u (name, size)
  WHERE u.name = 'ns' OR us >= u.size * 0.9995
  ORDER BY u.size DESC LIMIT 1
$$;

-- 0.7213 → 721 ns, 9360 → 9.36 ms.
CREATE FUNCTION report.duration(us numeric) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT report.three(us / size) || ' ' || name FROM report.unit(us)
$$;

-- Whether two results cannot be told apart: medians less than 5 % of the larger apart, or overlapping ranges of ± one
-- standard deviation. A single sample has no spread.
CREATE FUNCTION report.same(median numeric, sd numeric, base numeric, base_sd numeric) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT abs(median - base) < 0.05 * greatest(median, base)
    OR abs(median - base) <= coalesce(sd, 0) + coalesce(base_sd, 0)
$$;

-- How a duration compares with the baseline's: 2× faster, 1.46× slower, ≈ same.
CREATE FUNCTION report.ratio(median numeric, sd numeric, base numeric, base_sd numeric) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN report.same(median, sd, base, base_sd) THEN '≈ same'
    WHEN median < base THEN report.three(base / median) || '× faster'
    ELSE report.three(median / base) || '× slower' END
$$;

-- Text that is safe inside HTML.
CREATE FUNCTION report.html(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT replace(replace(replace(replace(value, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;')
$$;

-- Text that is safe inside a Markdown table.
CREATE FUNCTION report.markdown(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT replace(replace(value, '|', '\|'), '<', '&lt;')
$$;
