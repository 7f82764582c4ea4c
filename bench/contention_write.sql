-- contention: a new link between any two nodes, deleted again.
\set node random(1, 100 * :scale)
\set other random(1, 100 * :scale)
INSERT INTO links (source, target) VALUES (:node, :other) RETURNING id \gset new_
DELETE FROM links WHERE id = :new_id;
