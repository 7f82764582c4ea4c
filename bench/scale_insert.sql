-- scale: a new link.
-- effect: 1
\set node random(1, 100 * :scale)
\set other random(1, 100 * :scale)
INSERT INTO links (source, target) VALUES (:node, :other);
