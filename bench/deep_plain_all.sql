-- deep, plain rows, Each All: every link, ordered by id.
SELECT id, from_id, to_id FROM deep_links ORDER BY id;
