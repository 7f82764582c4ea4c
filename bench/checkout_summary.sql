-- checkout, summary: the last 50 orders of a customer with their lines.
\set customer random(2091, 12090)
SELECT orders.id, lines.target
FROM (SELECT id FROM links WHERE source = :customer AND target >= 1000000000 ORDER BY id DESC LIMIT 50) AS orders
JOIN links AS lines ON lines.source = orders.id
WHERE lines.target BETWEEN 91 AND 1090;
