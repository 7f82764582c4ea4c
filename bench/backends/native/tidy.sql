-- After seeding, and between samples that write: no dead rows, fresh statistics, visibility map set.
VACUUM (ANALYZE) links, deep_links;
