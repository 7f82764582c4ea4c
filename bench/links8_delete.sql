-- links8, Delete: delete a link by id. In the report the link is prepared outside the timed section.
-- plan: id
-- untimed: prepare the point
INSERT INTO links (source, target) VALUES (0, 0) RETURNING id \gset new_
-- untimed: prepare the point
UPDATE links SET source = :new_id, target = :new_id WHERE id = :new_id;
DELETE FROM links WHERE id = :new_id RETURNING source, target;
