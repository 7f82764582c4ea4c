-- scale: the links from one node to another.
-- plan: end
\set node random(1, 100 * :scale)
\set other random(1, 100 * :scale)
SELECT id FROM links WHERE source = :node AND target = :other;
