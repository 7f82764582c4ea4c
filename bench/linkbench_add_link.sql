-- linkbench, 90 of 1000: a new link; Zipf with exponent 0.741.
\set node 1 + permute(least(int(250 * :scale * pow(random(1, 1000000) / 1000000.0, 3.861)), 250 * :scale - 1), 250 * :scale)
\set other random(1, 250 * :scale)
INSERT INTO links (source, target) VALUES (:node, :other);
