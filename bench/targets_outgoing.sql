-- targets: outgoing links of a node; pgbench -M prepared.
-- plan: end
\set node random(1, 100 * :scale)
SELECT id, target FROM links WHERE source = :node;
