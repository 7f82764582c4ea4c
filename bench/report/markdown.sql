-- report.md on stdout.
SELECT CASE b.kind
  WHEN 'title' THEN '# ' || b.content
  WHEN 'heading' THEN '## ' || b.content
  WHEN 'link' THEN format('[What is compared with what, where native tables win, and why ratios are smaller here than in the comparisons this project continues](%s)', b.content)
  WHEN 'text' THEN b.content
  WHEN 'chart' THEN format('![%s](charts/%s.png)', c.title, b.content)
  WHEN 'table' THEN b.content || E':\n\n'
    || (SELECT string_agg(report.markdown_line(line, cells), E'\n' ORDER BY line) FROM report.block_lines AS l WHERE l.n = b.n)
  END || E'\n'
FROM report.blocks AS b
LEFT JOIN report.charts AS c ON b.kind = 'chart' AND c.name = b.content
ORDER BY b.n;
