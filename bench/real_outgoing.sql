-- real: what does a package depend on directly?
-- plan: end
\set node random(1, 100 * :scale)
SELECT id, target FROM links WHERE source = :node;
