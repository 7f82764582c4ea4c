-- A doublets store in shared memory, layout split.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS doublets;
CREATE SCHEMA split_volatile;
CREATE FOREIGN TABLE split_volatile.links (id bigint, source bigint NOT NULL, target bigint NOT NULL)
SERVER doublets OPTIONS (layout 'split', persistence 'volatile');

-- The same under the column names of the workload deep.
CREATE FOREIGN TABLE split_volatile.deep_links (id bigint, from_id bigint NOT NULL, to_id bigint NOT NULL)
SERVER doublets OPTIONS (layout 'split', persistence 'volatile');
