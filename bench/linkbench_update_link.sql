-- linkbench, 80 of 1000: another target for a link; Zipf with exponent 0.741.
-- plan: id
\set link 250 * :scale + 1 + permute(least(int(750 * :scale * pow(random(1, 1000000) / 1000000.0, 3.861)), 750 * :scale - 1), 750 * :scale)
\set other random(1, 250 * :scale)
UPDATE links SET target = :other WHERE id = :link;
