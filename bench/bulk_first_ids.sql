-- bulk: the ten links with the smallest ids.
SELECT id, source, target FROM links ORDER BY id LIMIT 10;
