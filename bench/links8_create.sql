-- links8, Create: insert a link, read it back, make it a point (source = target = its own id).
-- plan: id
INSERT INTO links (source, target) VALUES (0, 0) RETURNING id \gset new_
SELECT * FROM links WHERE id = :new_id;
UPDATE links SET source = :new_id, target = :new_id WHERE id = :new_id;
