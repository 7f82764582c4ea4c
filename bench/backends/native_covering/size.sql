-- links, bytes used, bytes allocated (the same for a table), all indexes included.
SELECT count(*), pg_total_relation_size('links'), pg_total_relation_size('links') FROM links;
