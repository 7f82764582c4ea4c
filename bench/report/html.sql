-- The body of report.html on stdout; a line `@chart NAME<tab>TITLE` stands for the drawing.
SELECT CASE b.kind
  WHEN 'title' THEN '<h1>' || report.html(b.content) || E'</h1>\n<nav aria-label="Sections"><ul>'
    || (SELECT string_agg(format('<li><a href="#s%s">%s</a></li>', h.n, report.html(h.content)), E'\n' ORDER BY h.n)
      FROM report.blocks AS h WHERE h.kind = 'heading') || '</ul></nav>'
  WHEN 'heading' THEN '<h2 id="s' || b.n || '">' || report.html(b.content) || '</h2>'
  WHEN 'link' THEN format('<p><a href="%s">What is compared with what, where native tables win, and why ratios are smaller here than in the comparisons this project continues</a></p>', b.content)
  WHEN 'text' THEN '<p>' || report.html(b.content) || '</p>'
  WHEN 'chart' THEN format(E'<figure>\n@chart %s\t%s\n<figcaption>%s. %s</figcaption>\n</figure>', b.content, report.html(c.title), report.html(c.title),
    report.html(c.caption))
  WHEN 'table' THEN '<div class="table" role="region" tabindex="0" aria-label="' || report.html(concat_ws(': ',
      (SELECT h.content FROM report.blocks AS h WHERE h.kind = 'heading' AND h.n < b.n ORDER BY h.n DESC LIMIT 1), b.content)) || E'"><table>\n<caption>' || report.html(b.content) || E'</caption>\n'
    || (SELECT string_agg(report.html_line(line, cells), E'\n' ORDER BY line) FROM report.block_lines AS l WHERE l.n = b.n)
    || E'\n</table></div>'
  END
FROM report.blocks AS b LEFT JOIN report.charts AS c ON b.kind = 'chart' AND c.name = b.content ORDER BY b.n;
