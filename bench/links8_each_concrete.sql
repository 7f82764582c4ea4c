-- links8, Each Concrete: the links with a given source and target.
-- plan: end
\set link random(1, 1000 * :scale)
SELECT * FROM links WHERE source = :link AND target = :link;
