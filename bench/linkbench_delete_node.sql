-- linkbench, 10 of 1000: a node is deleted and its links stay; uniform.
-- plan: id
\set node random(1, 250 * :scale)
DELETE FROM links WHERE id = :node;
