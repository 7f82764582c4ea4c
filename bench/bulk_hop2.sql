-- bulk: the ends of all paths of two links from a node.
-- plan: end
\set start random(1, 100 * :scale)
SELECT count(*), sum(b.target) FROM links AS a JOIN links AS b ON b.source = a.target WHERE a.source = :start;
