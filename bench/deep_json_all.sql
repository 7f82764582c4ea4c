-- deep, JSON, Each All: every link, ordered by id.
SELECT coalesce(json_agg(page), '[]') FROM (SELECT id, from_id, to_id FROM deep_links ORDER BY id) AS page;
