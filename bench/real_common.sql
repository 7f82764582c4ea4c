-- real: which dependencies do two packages share?
\set node random(1, 100 * :scale)
\set other random(1, 100 * :scale)
SELECT a.target FROM links AS a JOIN links AS b ON b.target = a.target WHERE a.source = :node AND b.source = :other;
