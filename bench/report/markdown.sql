-- report.md on stdout.
SELECT CASE b.kind
  WHEN 'title' THEN '# ' || b.content
  WHEN 'heading' THEN '## ' || b.content
  WHEN 'text' THEN b.content
  WHEN 'chart' THEN format('![%s, %s scale](charts/%s.png)', c.title, c.scale, b.content)
  WHEN 'table' THEN b.content || E':\n\n'
    || (SELECT string_agg(report.markdown_line(line, cells), E'\n' ORDER BY line) FROM report.block_lines AS l WHERE l.n = b.n)
  END || E'\n'
FROM report.blocks AS b
LEFT JOIN LATERAL (
  SELECT s.title, CASE WHEN b.content LIKE '%-log' THEN 'logarithmic' ELSE 'linear' END AS scale
  FROM report.sections AS s WHERE b.content IN (s.section || '-linear', s.section || '-log')
) AS c ON b.kind = 'chart'
ORDER BY b.n;
