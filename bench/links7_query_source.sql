-- links7, Query by Source: the links with a given source.
-- plan: end
\set link random(1, 1000 * :scale)
SELECT * FROM links WHERE source = :link;
