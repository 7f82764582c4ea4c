-- aged: another target for a link.
-- plan: id
\set link random(1, 1000 * :scale)
\set other random(1, 100 * :scale)
UPDATE links SET target = :other WHERE id = :link;
