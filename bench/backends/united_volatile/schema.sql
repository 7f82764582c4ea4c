-- A doublets store in shared memory, layout united.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS doublets;
CREATE SCHEMA united_volatile;
CREATE FOREIGN TABLE united_volatile.links (id bigint, source bigint NOT NULL, target bigint NOT NULL)
SERVER doublets OPTIONS (layout 'united', persistence 'volatile');

-- The same under the column names of the workload deep.
CREATE FOREIGN TABLE united_volatile.deep_links (id bigint, from_id bigint NOT NULL, to_id bigint NOT NULL)
SERVER doublets OPTIONS (layout 'united', persistence 'volatile');
