-- links7, Create: a link becomes a point (source = target = its own id).
-- plan: id
INSERT INTO links (source, target) VALUES (0, 0) RETURNING id \gset new_
UPDATE links SET source = :new_id, target = :new_id WHERE id = :new_id;
