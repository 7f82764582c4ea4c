-- linkbench, 129 of 1000: a node by id; Zipf with exponent 0.625.
-- plan: id
\set node 1 + permute(least(int(250 * :scale * pow(random(1, 1000000) / 1000000.0, 2.6667)), 250 * :scale - 1), 250 * :scale)
SELECT source, target FROM links WHERE id = :node;
