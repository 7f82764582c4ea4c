-- linkbench, 507 of 1000: the outgoing links of a node, newest first. Nodes are the points 1 to 250 × scale, chosen by Zipf's
-- law with exponent 0.8: rank = nodes × u^(1 / (1 - 0.8)), and permuted, so that popular nodes are not neighbours.
\set node 1 + permute(least(int(250 * :scale * pow(random(1, 1000000) / 1000000.0, 5.0)), 250 * :scale - 1), 250 * :scale)
SELECT id, target FROM links WHERE source = :node ORDER BY id DESC LIMIT 10000;
