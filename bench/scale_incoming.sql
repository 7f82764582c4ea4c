-- scale: the links that enter a node, about eleven.
-- plan: end
\set node random(1, 100 * :scale)
SELECT id, source FROM links WHERE target = :node;
