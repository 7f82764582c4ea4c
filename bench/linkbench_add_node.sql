-- linkbench, 26 of 1000: a new node: a point.
-- plan: id
INSERT INTO links (source, target) VALUES (0, 0) RETURNING id \gset new_
UPDATE links SET source = :new_id, target = :new_id WHERE id = :new_id;
