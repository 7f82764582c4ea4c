-- backends: a link by id, read by one backend and by several at once.
-- together
-- plan: id
\set link random(1, 1000 * :scale)
SELECT source FROM links WHERE id = :link;
