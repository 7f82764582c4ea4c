-- links7, Query by Id: the links with a given id.
-- plan: id
\set link random(1, 1000 * :scale)
SELECT * FROM links WHERE id = :link;
