-- deep, plain rows, Each Identity: one link by id.
-- plan: id
\set link random(1, 1000)
SELECT id, from_id, to_id FROM deep_links WHERE id = :link;
