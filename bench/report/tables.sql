-- The tables of the report as arrays of cells, then as Markdown or HTML lines. A cell that begins with `!` is in bold.

-- Line 0 is the header. `metric` is wall, cpu, or across (doublets beside durable native tables).
CREATE FUNCTION report.section_table(of_section text, of_metric text, OUT line bigint, OUT cells text[])
RETURNS SETOF record LANGUAGE sql STABLE AS $$
  WITH texts AS (
    SELECT row, slot, backend, is_base, text FROM report.cell_texts WHERE metric = of_metric
    UNION ALL
    SELECT row, slot, backend, is_base, text FROM report.across_texts WHERE of_metric = 'across'
  ), used AS (
    SELECT t.*, r.title FROM texts AS t JOIN report.section_rows AS r USING (row) WHERE r.section = of_section
  ), columns AS (
    SELECT slot, backend FROM used GROUP BY slot, backend
  )
  SELECT 0::bigint, 'operation'::text || array_agg(backend ORDER BY slot) FROM columns HAVING count(*) > 0
  UNION ALL
  SELECT rows.row, rows.title || array_agg(coalesce(CASE WHEN u.is_base THEN '!' ELSE '' END || u.text, '–') ORDER BY c.slot)
  FROM (SELECT DISTINCT row, title FROM used) AS rows
  CROSS JOIN columns AS c
  LEFT JOIN used AS u ON u.row = rows.row AND u.slot = c.slot
  GROUP BY rows.row, rows.title
$$;

CREATE FUNCTION report.floor_table(OUT line bigint, OUT cells text[]) RETURNS SETOF record LANGUAGE sql STABLE AS $$
  SELECT 0::bigint, ARRAY['floor', 'measured', 'wall', 'CPU'] WHERE EXISTS (SELECT FROM report.cells WHERE workload = 'floors')
  UNION ALL
  SELECT w.row, ARRAY[w.title, CASE w.mode WHEN 'client' THEN 'by pgbench, prepared, one client' ELSE 'inside the server' END,
    report.duration(w.median) || ' ± ' || report.duration(w.sd),
    coalesce(report.duration(c.median) || ' ± ' || report.duration(c.sd), 'unknown')]
  FROM report.cells AS w
  LEFT JOIN report.cells AS c ON c.row = w.row AND c.backend = w.backend AND c.metric = 'cpu'
  WHERE w.workload = 'floors' AND w.metric = 'wall'
$$;

CREATE FUNCTION report.size_table(OUT line bigint, OUT cells text[]) RETURNS SETOF record LANGUAGE sql STABLE AS $$
  SELECT 0::bigint, ARRAY['dataset', 'backend', 'links', 'bytes per link in use', 'MB in use', 'MB allocated',
    'allocated ÷ in use']
  WHERE EXISTS (SELECT FROM report.sizes)
  UNION ALL
  SELECT row_number() OVER (ORDER BY s.workload, b.position), ARRAY[s.workload, s.backend,
    to_char(s.links, 'FM999,999,999,999'), report.three(s.used_bytes::numeric / s.links),
    round(s.used_bytes / 1048576.0, 1)::text, round(s.allocated_bytes / 1048576.0, 1)::text,
    round(s.allocated_bytes::numeric / s.used_bytes, 2)::text]
  FROM report.sizes AS s JOIN report.backends AS b USING (backend)
$$;

-- How much more two backends do than one: 2× at best.
CREATE FUNCTION report.scaling_table(OUT line bigint, OUT cells text[]) RETURNS SETOF record LANGUAGE sql STABLE AS $$
  WITH factors AS (
    SELECT one.row, regexp_replace(one.title, ', .*', '') AS title, one.slot, one.backend, 2 * one.median / two.median AS factor
    FROM report.cells AS one JOIN report.cells AS two USING (workload, operation, backend, metric)
    WHERE one.workload = 'backends' AND metric = 'wall' AND one.mode = 'one' AND two.mode = 'two'
  )
  SELECT 0::bigint, 'operation'::text || array_agg(backend ORDER BY slot) FROM (SELECT DISTINCT slot, backend FROM factors) AS b
  HAVING count(*) > 0
  UNION ALL
  SELECT row, title || array_agg(report.three(factor) || '×' ORDER BY slot) FROM factors GROUP BY row, title
$$;

CREATE FUNCTION report.target_table(OUT line bigint, OUT cells text[]) RETURNS SETOF record LANGUAGE sql STABLE AS $$
  SELECT 0::bigint, ARRAY['what', 'compared with', 'its value', 'store', 'its value', 'measured',
    'a store that costs nothing', 'target', 'verdict']
  UNION ALL
  SELECT row_number() OVER (ORDER BY position, title, slot), fields FROM report.target_lines
$$;

CREATE FUNCTION report.durability_table(OUT line bigint, OUT cells text[]) RETURNS SETOF record LANGUAGE sql STABLE AS $$
  SELECT 0::bigint, ARRAY['series', 'class', 'what survives']
  UNION ALL
  SELECT position, ARRAY[backend, class, durability] FROM report.backends WHERE kind <> 'server'
$$;

CREATE FUNCTION report.provenance_table(OUT line bigint, OUT cells text[]) RETURNS SETOF record LANGUAGE sql STABLE AS $$
  SELECT 0::bigint, ARRAY['provenance', 'value']
  UNION ALL
  SELECT row_number() OVER (), ARRAY[key, value] FROM report.provenance
$$;

CREATE FUNCTION report.markdown_line(line bigint, cells text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT '| ' || string_agg(CASE WHEN cell LIKE '!%' THEN '**' || report.markdown(substr(cell, 2)) || '**'
      ELSE report.markdown(cell) END, ' | ' ORDER BY i) || ' |'
    || CASE WHEN line = 0 THEN E'\n|' || string_agg('---', '|') || '|' ELSE '' END
  FROM unnest(cells) WITH ORDINALITY AS c (cell, i)
$$;

CREATE FUNCTION report.html_line(line bigint, cells text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN line = 0 THEN '<thead><tr>' ELSE '<tr>' END
    || string_agg(CASE WHEN line = 0 THEN '<th scope="col">' || report.html(cell) || '</th>'
      WHEN i = 1 THEN '<th scope="row">' || report.html(cell) || '</th>'
      WHEN cell LIKE '!%' THEN '<td><b>' || report.html(substr(cell, 2)) || '</b></td>'
      WHEN cell LIKE '% faster)' OR cell = 'met' THEN '<td class="good">' || report.html(cell) || '</td>'
      WHEN cell LIKE '% slower)' OR cell LIKE 'missed %' THEN '<td class="bad">' || report.html(cell) || '</td>'
      ELSE '<td>' || report.html(cell) || '</td>' END, '' ORDER BY i)
    || CASE WHEN line = 0 THEN '</tr></thead>' ELSE '</tr>' END
  FROM unnest(cells) WITH ORDINALITY AS c (cell, i)
$$;
