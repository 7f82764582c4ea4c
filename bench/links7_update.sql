-- links7, Update: a point becomes (0, 0) and then a point again.
-- plan: id
\set link random(1, 1000 * :scale)
UPDATE links SET source = 0, target = 0 WHERE id = :link;
UPDATE links SET source = :link, target = :link WHERE id = :link;
