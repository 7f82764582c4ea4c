-- The body of report.html on stdout; a line `@chart NAME` stands for the drawing.
SELECT CASE b.kind
  WHEN 'title' THEN '<h1>' || report.html(b.content) || '</h1>'
  WHEN 'heading' THEN '<h2>' || report.html(b.content) || '</h2>'
  WHEN 'text' THEN '<p>' || report.html(b.content) || '</p>'
  WHEN 'chart' THEN format(E'<figure>\n@chart %s\n<figcaption>%s</figcaption>\n</figure>', b.content,
    CASE WHEN b.content LIKE '%-log'
      THEN 'Logarithmic axis: median, ± one standard deviation; ×N is how many times as fast a store is as its baseline.'
      ELSE 'Linear axes from zero, one per operation: median, ± one standard deviation; a bar too short to see is drawn '
        || 'at half a percent of the axis.' END)
  WHEN 'table' THEN E'<div class="table"><table>\n<caption>' || report.html(b.content) || E'</caption>\n'
    || (SELECT string_agg(report.html_line(line, cells), E'\n' ORDER BY line) FROM report.block_lines AS l WHERE l.n = b.n)
    || E'\n</table></div>'
  END
FROM report.blocks AS b ORDER BY b.n;
