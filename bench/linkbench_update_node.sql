-- linkbench, 74 of 1000: another value for a node; Zipf with exponent 0.606.
-- plan: id
\set node 1 + permute(least(int(250 * :scale * pow(random(1, 1000000) / 1000000.0, 2.5381)), 250 * :scale - 1), 250 * :scale)
\set other random(1, 250 * :scale)
UPDATE links SET target = :other WHERE id = :node;
