-- real: the twenty packages with the most direct dependants.
SELECT target, count(*) FROM links GROUP BY target ORDER BY count(*) DESC, target LIMIT 20;
