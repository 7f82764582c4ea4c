-- scale: how many links leave a node.
\set node random(1, 100 * :scale)
SELECT count(*) FROM links WHERE source = :node;
