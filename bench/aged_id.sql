-- aged: a link by id.
-- plan: id
\set link random(1, 1000 * :scale)
SELECT source, target FROM links WHERE id = :link;
