-- scale: a new link, deleted again.
\set node random(1, 100 * :scale)
\set other random(1, 100 * :scale)
INSERT INTO links (source, target) VALUES (:node, :other) RETURNING id \gset new_
DELETE FROM links WHERE id = :new_id;
