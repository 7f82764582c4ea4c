-- deep, JSON, Each Outgoing: the links from 1.
-- plan: end
SELECT coalesce(json_agg(page), '[]') FROM (SELECT id, from_id, to_id FROM deep_links WHERE from_id = 1) AS page;
