-- real: what depends directly on a package? Nodes are numbered by falling in-degree, so 1 is the biggest hub.
-- plan: end
\set node random(1, 100 * :scale)
SELECT id, source FROM links WHERE target = :node;
