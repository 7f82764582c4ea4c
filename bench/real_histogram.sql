-- real: how many packages have how many direct dependencies?
SELECT degree, count(*) FROM (SELECT count(*) AS degree FROM links GROUP BY source) AS degrees GROUP BY degree;
