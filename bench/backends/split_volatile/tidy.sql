-- After seeding, and between samples that write: versions nobody can see are dropped, fresh statistics.
SELECT doublets.settle('links') + doublets.settle('deep_links');
ANALYZE links, deep_links;
