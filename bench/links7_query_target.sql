-- links7, Query by Target: the links with a given target.
-- plan: end
\set link random(1, 1000 * :scale)
SELECT * FROM links WHERE target = :link;
