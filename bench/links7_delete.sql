-- links7, Delete: delete a link by id. In the report the links are prepared outside the timed section.
-- plan: id
-- untimed: prepare the link
INSERT INTO links (source, target) VALUES (0, 0) RETURNING id \gset new_
DELETE FROM links WHERE id = :new_id;
