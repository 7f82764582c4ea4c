-- The README's results block on stdout: the short form of report.md, which lies beside it in bench/results/.
SELECT format(E'%s run of %s on %s, %s, %s cores, %s samples per operation and backend. [Everything measured](bench/results/report.md), with '
  'the raw samples beside it; [what is compared with what](bench/HONESTY.md).\n', initcap(report.provenance('size')),
  left(report.provenance('date'), 10), split_part(report.provenance('server'), ' on ', 1), report.provenance('cpu'),
  report.provenance('cores'), report.provenance('samples'));
SELECT format(E'![%s](bench/results/charts/heatmap.png)\n\n%s\n', title, caption) FROM report.charts WHERE name = 'heatmap';
SELECT c.content || E':\n\n' || (SELECT string_agg(report.markdown_line(line, cells), E'\n' ORDER BY line)
  FROM report.block_lines AS l WHERE l.n = c.n) || E'\n'
FROM report.blocks AS c WHERE c.kind = 'table' AND c.content = 'Targets';
SELECT h.content || E':\n\n' || (SELECT string_agg(report.markdown_line(line, cells), E'\n' ORDER BY line)
  FROM report.block_lines AS l WHERE l.n = t.n) || E'\n'
FROM report.blocks AS h
JOIN LATERAL (
  SELECT b.n FROM report.blocks AS b WHERE b.n > h.n AND b.kind = 'table' AND b.content = 'Wall-clock time' ORDER BY b.n LIMIT 1
) AS t ON true
WHERE h.kind = 'heading' AND h.content IN (SELECT title FROM report.sections
  WHERE section IN ('links8-autocommit', 'real', 'bulk', 'functions', 'checkout') AND section IN (SELECT section FROM report.section_rows))
ORDER BY h.n;
