-- bulk: how many nodes have how many outgoing links?
-- heavy
SELECT degree, count(*) FROM (SELECT count(*) AS degree FROM links GROUP BY source) AS degrees GROUP BY degree;
