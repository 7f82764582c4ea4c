-- links, bytes used, bytes allocated, both directions and all versions included.
SELECT links, used_bytes, allocated_bytes FROM doublets.store_stats('links');
