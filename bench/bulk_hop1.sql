-- bulk: the nodes one hop from a node.
\set start random(1, 100 * :scale)
SELECT count(*), sum(target) FROM links WHERE source = :start;
