-- links8, Each Incoming: the links with a given target.
-- plan: end
\set link random(1, 1000 * :scale)
SELECT * FROM links WHERE target = :link;
