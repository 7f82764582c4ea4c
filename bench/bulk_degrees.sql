-- bulk: the degree of every node, and the highest of them.
-- heavy
SELECT count(*), max(degree) FROM (SELECT count(*) AS degree FROM links GROUP BY source) AS degrees;
