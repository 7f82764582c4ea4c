-- bulk: how many links are there?
-- heavy
SELECT count(*) FROM links;
