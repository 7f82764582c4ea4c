-- scale: the links that leave a node, about ten.
-- plan: end
\set node random(1, 100 * :scale)
SELECT id, target FROM links WHERE source = :node;
