-- links8, Update: one of the last 100 × scale background points becomes (0, 0) and then a point again.
-- plan: id
\set link random(900 * :scale + 1, 1000 * :scale)
SELECT * FROM links WHERE id = :link;
UPDATE links SET source = 0, target = 0 WHERE id = :link;
SELECT * FROM links WHERE id = :link;
UPDATE links SET source = :link, target = :link WHERE id = :link;
