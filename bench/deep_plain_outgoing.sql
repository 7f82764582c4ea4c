-- deep, plain rows, Each Outgoing: the links from 1.
-- plan: end
SELECT id, from_id, to_id FROM deep_links WHERE from_id = 1;
