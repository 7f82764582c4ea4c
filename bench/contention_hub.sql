-- contention: everybody adds a link to the same hub, and deletes it again.
\set hub 100 * :scale + 1
\set other random(1, 100 * :scale)
INSERT INTO links (source, target) VALUES (:hub, :other) RETURNING id \gset new_
DELETE FROM links WHERE id = :new_id;
