-- deep, JSON, Each Incoming: the links to 2.
-- plan: end
SELECT coalesce(json_agg(page), '[]') FROM (SELECT id, from_id, to_id FROM deep_links WHERE to_id = 2) AS page;
