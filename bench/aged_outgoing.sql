-- aged: the links that leave a node.
-- plan: end
\set node random(1, 100 * :scale)
SELECT id, target FROM links WHERE source = :node;
