-- linkbench, 5 of 1000: the links from one node to another; Zipf with exponent 0.8.
-- plan: end
\set node 1 + permute(least(int(250 * :scale * pow(random(1, 1000000) / 1000000.0, 5.0)), 250 * :scale - 1), 250 * :scale)
\set other random(1, 250 * :scale)
SELECT id FROM links WHERE source = :node AND target = :other;
