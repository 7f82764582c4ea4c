-- linkbench, 49 of 1000: how many links leave a node; Zipf with exponent 0.8.
\set node 1 + permute(least(int(250 * :scale * pow(random(1, 1000000) / 1000000.0, 5.0)), 250 * :scale - 1), 250 * :scale)
SELECT count(*) FROM links WHERE source = :node;
