/* Install script of doublets 1.0. Frozen once released: changes go into doublets--1.0--<next>.sql. */

-- complain if the script is sourced in psql
\echo Use "CREATE EXTENSION doublets" to load this file. \quit

-- A schema somebody else has made first would let its owner add functions that look like ours.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace AS n
                 WHERE n.nspname = 'doublets'
                   AND pg_catalog.pg_has_role(n.nspowner, 'USAGE')
                   AND (n.nspowner = (SELECT r.oid FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user)
                        OR (SELECT r.rolsuper FROM pg_catalog.pg_roles AS r WHERE r.oid = n.nspowner))) THEN
    RAISE EXCEPTION 'schema "doublets" belongs to another role'
      USING ERRCODE = 'insufficient_privilege',
            HINT = 'Drop it, or make a superuser its owner, then create the extension.';
  END IF;
END
$$;

GRANT USAGE ON SCHEMA doublets TO PUBLIC;
COMMENT ON SCHEMA doublets IS 'Functions and views of the extension doublets; stores may lie in any schema';

------------------------------------------------------------------------------------------------------------------------
-- Foreign-data wrapper and server
------------------------------------------------------------------------------------------------------------------------

CREATE FUNCTION doublets.fdw_handler() RETURNS fdw_handler
LANGUAGE C STRICT VOLATILE PARALLEL SAFE COST 1
AS 'MODULE_PATHNAME', 'doublets_fdw_handler';
COMMENT ON FUNCTION doublets.fdw_handler() IS 'Handler of the foreign-data wrapper doublets';

CREATE FUNCTION doublets.fdw_validator(options text[], catalog oid) RETURNS void
LANGUAGE C STRICT STABLE PARALLEL SAFE COST 1
AS 'MODULE_PATHNAME', 'doublets_fdw_validator';
COMMENT ON FUNCTION doublets.fdw_validator(text[], oid) IS
  'Checks options of stores (layout, persistence, unique_pairs, max_size) and of their columns (link_part); errors HV00D, 22023, 0A000';

REVOKE ALL ON FUNCTION doublets.fdw_handler(), doublets.fdw_validator(text[], oid) FROM PUBLIC;

CREATE FOREIGN DATA WRAPPER doublets HANDLER doublets.fdw_handler VALIDATOR doublets.fdw_validator;
COMMENT ON FOREIGN DATA WRAPPER doublets IS 'Links in shared memory: a foreign table is a store';

-- USAGE is granted to nobody: whoever creates stores takes memory that all sessions share.
CREATE SERVER doublets FOREIGN DATA WRAPPER doublets;
COMMENT ON SERVER doublets IS
  'Server of doublets stores; to let a role create stores: GRANT USAGE ON FOREIGN SERVER doublets TO role';

------------------------------------------------------------------------------------------------------------------------
-- Stores: creation, DDL
------------------------------------------------------------------------------------------------------------------------

CREATE FUNCTION doublets.create_store(name text, layout text DEFAULT 'split', persistence text DEFAULT 'volatile',
                                      unique_pairs boolean DEFAULT false, max_size text DEFAULT NULL)
RETURNS regclass
LANGUAGE C CALLED ON NULL INPUT VOLATILE PARALLEL UNSAFE COST 10000
AS 'MODULE_PATHNAME', 'doublets_create_store';
COMMENT ON FUNCTION doublets.create_store(text, text, text, boolean, text) IS
  'Creates the foreign table of an empty store with the caller''s rights; name is an identifier, possibly qualified with a schema; errors of CREATE FOREIGN TABLE, 22004 name, layout or persistence is null';

CREATE FUNCTION doublets.ddl_command_start() RETURNS event_trigger
LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1
AS 'MODULE_PATHNAME', 'doublets_ddl_command_start';
COMMENT ON FUNCTION doublets.ddl_command_start() IS
  'Loads the library before a command that may drop stores, so that their memory is released; explains a missing privilege on the server';

CREATE FUNCTION doublets.ddl_command_end() RETURNS event_trigger
LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1
AS 'MODULE_PATHNAME', 'doublets_ddl_command_end';
COMMENT ON FUNCTION doublets.ddl_command_end() IS 'Checks the columns and the schema of a store just created';

REVOKE ALL ON FUNCTION doublets.ddl_command_start(), doublets.ddl_command_end() FROM PUBLIC;

CREATE EVENT TRIGGER doublets_ddl_command_start ON ddl_command_start
WHEN TAG IN ('CREATE FOREIGN TABLE', 'IMPORT FOREIGN SCHEMA', 'DROP FOREIGN TABLE', 'DROP TABLE', 'DROP SCHEMA',
             'DROP OWNED', 'DROP SERVER', 'DROP FOREIGN DATA WRAPPER', 'DROP EXTENSION')
EXECUTE FUNCTION doublets.ddl_command_start();
COMMENT ON EVENT TRIGGER doublets_ddl_command_start IS
  'Release of the memory of dropped stores. Without it, memory is released when the next store is created';

CREATE EVENT TRIGGER doublets_ddl_command_end ON ddl_command_end
WHEN TAG IN ('CREATE FOREIGN TABLE', 'IMPORT FOREIGN SCHEMA')
EXECUTE FUNCTION doublets.ddl_command_end();
COMMENT ON EVENT TRIGGER doublets_ddl_command_end IS
  'Check of new stores. Without it, a wrong definition is found at the first access';

-- Which transactions every snapshot of this database has seen finished is known to the server per relation, and
-- a foreign table does not count as one: the library asks for this table instead
-- (GetOldestNonRemovableTransactionId). It stays empty.
CREATE TABLE doublets.horizon ();
COMMENT ON TABLE doublets.horizon IS 'Always empty; stands for this database when the oldest visible transaction is asked for';
REVOKE ALL ON TABLE doublets.horizon FROM PUBLIC;
GRANT SELECT ON TABLE doublets.horizon TO PUBLIC;

------------------------------------------------------------------------------------------------------------------------
-- Monitoring
------------------------------------------------------------------------------------------------------------------------

CREATE FUNCTION doublets.store_list(OUT name regclass, OUT layout text, OUT persistence text, OUT unique_pairs boolean,
                                    OUT links bigint, OUT versions_in_flight bigint, OUT used_bytes bigint,
                                    OUT allocated_bytes bigint, OUT chunks integer)
RETURNS SETOF record
LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE COST 1000 ROWS 20
AS 'MODULE_PATHNAME', 'doublets_stores';
COMMENT ON FUNCTION doublets.store_list() IS
  'The stores of this database, for the view doublets.stores; also frees memory of stores that are gone';

CREATE VIEW doublets.stores AS
SELECT s.name, s.layout, s.persistence, s.links, s.versions_in_flight, s.used_bytes, s.allocated_bytes, s.chunks
FROM doublets.store_list() AS s;
COMMENT ON VIEW doublets.stores IS
  'The stores of this database. Numbers are null without SELECT on the store (or pg_monitor) and while the store is locked exclusively; the view never waits';
COMMENT ON COLUMN doublets.stores.name IS 'The foreign table';
COMMENT ON COLUMN doublets.stores.layout IS 'How the links are kept: split or united';
COMMENT ON COLUMN doublets.stores.persistence IS 'What the links survive: volatile';
COMMENT ON COLUMN doublets.stores.links IS 'Links visible to this transaction';
COMMENT ON COLUMN doublets.stores.versions_in_flight IS
  'Versions of links that some transaction may still judge differently than others; settling drops the record';
COMMENT ON COLUMN doublets.stores.used_bytes IS 'Bytes of shared memory in use';
COMMENT ON COLUMN doublets.stores.allocated_bytes IS 'Bytes of shared memory allocated; 0 before the first link';
COMMENT ON COLUMN doublets.stores.chunks IS 'Pieces of shared memory';
GRANT SELECT ON doublets.stores TO PUBLIC;

CREATE FUNCTION doublets.store_stats(store regclass, OUT name regclass, OUT layout text, OUT persistence text,
                                     OUT unique_pairs boolean, OUT links bigint, OUT versions_in_flight bigint,
                                     OUT used_bytes bigint, OUT allocated_bytes bigint, OUT chunks integer)
RETURNS record
LANGUAGE C CALLED ON NULL INPUT VOLATILE PARALLEL RESTRICTED COST 10
AS 'MODULE_PATHNAME', 'doublets_store_stats';
COMMENT ON FUNCTION doublets.store_stats(regclass) IS
  'What the view doublets.stores shows, for one store; waits for its lock; errors 22004 store is null, 42501 without SELECT on the store or pg_monitor, 42809 not a store';

------------------------------------------------------------------------------------------------------------------------
-- Functions on links
------------------------------------------------------------------------------------------------------------------------
-- All of them run with the caller's rights and need the caller's privileges on the store, as the SQL command would.
-- None is STRICT: a NULL store is error 22004. Readers judge by the snapshot of the calling statement; each call that
-- writes is a command of its own.

CREATE TYPE doublets.link AS (id bigint, source bigint, target bigint);
COMMENT ON TYPE doublets.link IS 'A link: its id (1 to 2^63-1) and its two ends, any bigint';

-- One link

CREATE FUNCTION doublets.create_link(store regclass, source bigint, target bigint) RETURNS bigint
LANGUAGE C CALLED ON NULL INPUT VOLATILE PARALLEL UNSAFE COST 1
AS 'MODULE_PATHNAME', 'doublets_create_link';
COMMENT ON FUNCTION doublets.create_link(regclass, bigint, bigint) IS
  'Creates a link, returns the id it got. Needs INSERT. Errors: 23502 an end is null, 23505 the pair exists and pairs are unique, 53100, 53200, 53400 no memory. O(1) in split, O(log n) in united stores';

CREATE FUNCTION doublets.create_point(store regclass) RETURNS bigint
LANGUAGE C CALLED ON NULL INPUT VOLATILE PARALLEL UNSAFE COST 1
AS 'MODULE_PATHNAME', 'doublets_create_point';
COMMENT ON FUNCTION doublets.create_point(regclass) IS
  'Creates a link from itself to itself (id = source = target), returns its id. Needs INSERT. Errors and cost as create_link';

CREATE FUNCTION doublets.get_or_create(store regclass, source bigint, target bigint) RETURNS bigint
LANGUAGE C CALLED ON NULL INPUT VOLATILE PARALLEL UNSAFE COST 1
AS 'MODULE_PATHNAME', 'doublets_get_or_create';
COMMENT ON FUNCTION doublets.get_or_create(regclass, bigint, bigint) IS
  'The smallest id among the links with this pair of ends, or that of a new one. Judges the newest state and waits for an unfinished transaction that creates or deletes the pair, so concurrent calls get one link. Needs SELECT and INSERT. Errors: 23502 an end is null, 40001 the link was created after the snapshot of a REPEATABLE READ transaction, those of create_link. O(links with the pair), else as create_link';

CREATE FUNCTION doublets.update_link(store regclass, id bigint, source bigint, target bigint) RETURNS boolean
LANGUAGE C CALLED ON NULL INPUT VOLATILE PARALLEL UNSAFE COST 1
AS 'MODULE_PATHNAME', 'doublets_update_link';
COMMENT ON FUNCTION doublets.update_link(regclass, bigint, bigint, bigint) IS
  'Gives a link new ends, as UPDATE ... WHERE id = would; false: there is no such link. Needs SELECT and UPDATE. Errors: 23502 an end is null, 23505 the pair exists and pairs are unique, 40001 changed by a concurrent transaction in REPEATABLE READ. O(1) in split, O(log n) in united stores';

CREATE FUNCTION doublets.delete_link(store regclass, id bigint) RETURNS boolean
LANGUAGE C CALLED ON NULL INPUT VOLATILE PARALLEL UNSAFE COST 1
AS 'MODULE_PATHNAME', 'doublets_delete_link';
COMMENT ON FUNCTION doublets.delete_link(regclass, bigint) IS
  'Deletes a link, as DELETE ... WHERE id = would; false: there is no such link. Links that use it stay. Needs SELECT and DELETE. Errors: 40001 changed by a concurrent transaction in REPEATABLE READ. O(1)';

CREATE FUNCTION doublets.get_link(store regclass, id bigint) RETURNS doublets.link
LANGUAGE C CALLED ON NULL INPUT STABLE PARALLEL RESTRICTED COST 1
AS 'MODULE_PATHNAME', 'doublets_get_link';
COMMENT ON FUNCTION doublets.get_link(regclass, bigint) IS
  'The link with this id, or NULL. Needs SELECT. O(1), O(log n) for explicitly given ids far from the others';

-- For the planner

CREATE FUNCTION doublets.set_support(internal) RETURNS internal
LANGUAGE C STRICT STABLE PARALLEL SAFE COST 1
AS 'MODULE_PATHNAME', 'doublets_set_support';
COMMENT ON FUNCTION doublets.set_support(internal) IS
  'Planner support of the functions that return sets: how many rows they return and what they cost';

-- Searching; NULL stands for anything

CREATE FUNCTION doublets.search_link(store regclass, source bigint DEFAULT NULL, target bigint DEFAULT NULL) RETURNS bigint
LANGUAGE C CALLED ON NULL INPUT STABLE PARALLEL RESTRICTED COST 1
AS 'MODULE_PATHNAME', 'doublets_search_link';
COMMENT ON FUNCTION doublets.search_link(regclass, bigint, bigint) IS
  'The smallest id among the links with these ends, or NULL; a null end is any. Needs SELECT. O(1) in split, O(log n) in united stores, O(links found) there if one end is given';

CREATE FUNCTION doublets.count_links(store regclass, id bigint DEFAULT NULL, source bigint DEFAULT NULL, target bigint DEFAULT NULL)
RETURNS bigint
LANGUAGE C CALLED ON NULL INPUT STABLE PARALLEL RESTRICTED COST 1
AS 'MODULE_PATHNAME', 'doublets_count_links';
COMMENT ON FUNCTION doublets.count_links(regclass, bigint, bigint, bigint) IS
  'Number of links with this id and these ends; a null part is any. Needs SELECT. O(1) in split, O(log n) in united stores, plus the smaller of the versions in flight and the links counted';

CREATE FUNCTION doublets.each(store regclass, id bigint DEFAULT NULL, source bigint DEFAULT NULL, target bigint DEFAULT NULL)
RETURNS SETOF doublets.link
LANGUAGE C CALLED ON NULL INPUT STABLE PARALLEL RESTRICTED COST 1 ROWS 10000 SUPPORT doublets.set_support
AS 'MODULE_PATHNAME', 'doublets_each';
COMMENT ON FUNCTION doublets.each(regclass, bigint, bigint, bigint) IS
  'The links with this id and these ends, in no particular order; a null part is any. Needs SELECT. O(links found)';

-- Links of one end; NULL finds nothing

CREATE FUNCTION doublets.outgoing(store regclass, source bigint) RETURNS SETOF doublets.link
LANGUAGE C CALLED ON NULL INPUT STABLE PARALLEL RESTRICTED COST 1 ROWS 10 SUPPORT doublets.set_support
AS 'MODULE_PATHNAME', 'doublets_outgoing';
COMMENT ON FUNCTION doublets.outgoing(regclass, bigint) IS
  'The links with this source, those to themselves included. Needs SELECT. O(links found)';

CREATE FUNCTION doublets.incoming(store regclass, target bigint) RETURNS SETOF doublets.link
LANGUAGE C CALLED ON NULL INPUT STABLE PARALLEL RESTRICTED COST 1 ROWS 10 SUPPORT doublets.set_support
AS 'MODULE_PATHNAME', 'doublets_incoming';
COMMENT ON FUNCTION doublets.incoming(regclass, bigint) IS
  'The links with this target, those to themselves included. Needs SELECT. O(links found)';

CREATE FUNCTION doublets.usages(store regclass, id bigint) RETURNS SETOF doublets.link
LANGUAGE C CALLED ON NULL INPUT STABLE PARALLEL RESTRICTED COST 1 ROWS 20 SUPPORT doublets.set_support
AS 'MODULE_PATHNAME', 'doublets_usages';
COMMENT ON FUNCTION doublets.usages(regclass, bigint) IS
  'The links with this value as source or target, each once, without the link that has it as id. Needs SELECT. O(links found)';

CREATE FUNCTION doublets.count_usages(store regclass, id bigint) RETURNS bigint
LANGUAGE C CALLED ON NULL INPUT STABLE PARALLEL RESTRICTED COST 1
AS 'MODULE_PATHNAME', 'doublets_count_usages';
COMMENT ON FUNCTION doublets.count_usages(regclass, bigint) IS
  'Number of links that usages returns. Needs SELECT. Cost as count_links';

-- Many links

CREATE FUNCTION doublets.create_links(store regclass, sources bigint[], targets bigint[]) RETURNS bigint[]
LANGUAGE C CALLED ON NULL INPUT VOLATILE PARALLEL UNSAFE COST 100
AS 'MODULE_PATHNAME', 'doublets_create_links';
COMMENT ON FUNCTION doublets.create_links(regclass, bigint[], bigint[]) IS
  'Creates a link for each pair of elements, returns the ids in the same order. Needs INSERT. Errors: 2202E arrays of different lengths or more than one dimension, 23502 a null element, those of create_link. Cost per link as create_link';

CREATE FUNCTION doublets.delete_links(store regclass, ids bigint[]) RETURNS bigint
LANGUAGE C CALLED ON NULL INPUT VOLATILE PARALLEL UNSAFE COST 100
AS 'MODULE_PATHNAME', 'doublets_delete_links';
COMMENT ON FUNCTION doublets.delete_links(regclass, bigint[]) IS
  'Deletes the links with these ids, returns their number; repeated, unknown and null ids count for nothing. Needs SELECT and DELETE. Errors: 2202E an array of more than one dimension, those of delete_link. Cost per id as delete_link';

CREATE FUNCTION doublets.delete_usages(store regclass, id bigint) RETURNS bigint
LANGUAGE C CALLED ON NULL INPUT VOLATILE PARALLEL UNSAFE COST 100
AS 'MODULE_PATHNAME', 'doublets_delete_usages';
COMMENT ON FUNCTION doublets.delete_usages(regclass, bigint) IS
  'Deletes the links that usages returns, returns their number. Needs SELECT and DELETE. Errors: those of delete_link. O(links deleted)';

CREATE FUNCTION doublets.rebase(store regclass, old bigint, new bigint) RETURNS bigint
LANGUAGE C CALLED ON NULL INPUT VOLATILE PARALLEL UNSAFE COST 100
AS 'MODULE_PATHNAME', 'doublets_rebase';
COMMENT ON FUNCTION doublets.rebase(regclass, bigint, bigint) IS
  'Puts the new value in the place of the old one as source and target of every link but the one that has the old value as id; returns the number of links changed. Needs SELECT and UPDATE. Errors: those of update_link. Cost per link as update_link';

-- The graph: nodes are the values that links have as ends. From a node lead the links with it as source (direction
-- 'outgoing'), as target ('incoming'), or both ('both'). Each call is judged by one snapshot, and may take the memory of one hash
-- table of the executor, work_mem times hash_mem_multiplier.

CREATE FUNCTION doublets.walk(store regclass, start bigint, direction text DEFAULT 'outgoing', max_depth integer DEFAULT NULL)
RETURNS TABLE (id bigint, depth integer, via bigint)
LANGUAGE C CALLED ON NULL INPUT STABLE PARALLEL RESTRICTED COST 100 ROWS 10000 SUPPORT doublets.set_support
AS 'MODULE_PATHNAME', 'doublets_walk';
COMMENT ON FUNCTION doublets.walk(regclass, bigint, text, integer) IS
  'The nodes that can be reached from the start, itself included, each once, nearest first: the node, how many links away it is, and the smallest id of the links that lead to it from a node one link nearer (null for the start). A null max_depth is none. Needs SELECT. Errors: 22023 no such direction, max_depth negative; 53200 more nodes than work_mem times hash_mem_multiplier holds, at 48 to 72 bytes each. O(links of the nodes)';

CREATE FUNCTION doublets.walk(store regclass, starts bigint[], direction text DEFAULT 'outgoing', max_depth integer DEFAULT NULL)
RETURNS TABLE (id bigint, depth integer, via bigint)
LANGUAGE C CALLED ON NULL INPUT STABLE PARALLEL RESTRICTED COST 100 ROWS 10000 SUPPORT doublets.set_support
AS 'MODULE_PATHNAME', 'doublets_walk_from_many';
COMMENT ON FUNCTION doublets.walk(regclass, bigint[], text, integer) IS
  'The same from several starts at once: the distance is that from the nearest of them; null elements start nowhere. Errors: 2202E an array of more than one dimension, those of walk from one start';

CREATE FUNCTION doublets.reachable(store regclass, start bigint, goal bigint, direction text DEFAULT 'outgoing') RETURNS boolean
LANGUAGE C CALLED ON NULL INPUT STABLE PARALLEL RESTRICTED COST 100
AS 'MODULE_PATHNAME', 'doublets_reachable';
COMMENT ON FUNCTION doublets.reachable(regclass, bigint, bigint, text) IS
  'Whether a path leads from the start to the goal; every node reaches itself. Searches from both ends and stops where they meet. Needs SELECT. Errors and cost as walk at the most';

CREATE FUNCTION doublets.shortest_path(store regclass, start bigint, goal bigint, direction text DEFAULT 'outgoing') RETURNS bigint[]
LANGUAGE C CALLED ON NULL INPUT STABLE PARALLEL RESTRICTED COST 100
AS 'MODULE_PATHNAME', 'doublets_shortest_path';
COMMENT ON FUNCTION doublets.shortest_path(regclass, bigint, bigint, text) IS
  'The ids of the links of a shortest path from the start to the goal, in order; {} if they are the same, NULL if there is none. If there are several, any of them. Needs SELECT. Errors and cost as reachable';

CREATE FUNCTION doublets.hubs(store regclass, direction text DEFAULT 'outgoing', k bigint DEFAULT 10)
RETURNS TABLE (id bigint, degree bigint)
LANGUAGE C CALLED ON NULL INPUT STABLE PARALLEL RESTRICTED COST 10000 ROWS 10 SUPPORT doublets.set_support
AS 'MODULE_PATHNAME', 'doublets_hubs';
COMMENT ON FUNCTION doublets.hubs(regclass, text, bigint) IS
  'The k nodes with the most links in a direction and their number, most first, nodes with equally many in ascending order; in both directions a link from a node to itself counts twice. Needs SELECT. Errors: 22023 no such direction, k negative; 53200 k nodes take more than work_mem times hash_mem_multiplier, at 16 bytes each. O(nodes), without touching links as a rule; twice as much in both directions, and O(1) or O(log n) per node';

-- Looking after a store

CREATE FUNCTION doublets.verify_store(store regclass) RETURNS SETOF text
LANGUAGE C CALLED ON NULL INPUT VOLATILE PARALLEL RESTRICTED COST 1000000 ROWS 1
AS 'MODULE_PATHNAME', 'doublets_verify_store';
COMMENT ON FUNCTION doublets.verify_store(regclass) IS
  'A line for each broken invariant of the store''s structures, at most 1000; no rows when it is sound. Needs SELECT. O(n log n); writers wait meanwhile, and it cannot be cancelled';

CREATE FUNCTION doublets.settle(store regclass) RETURNS bigint
LANGUAGE C CALLED ON NULL INPUT VOLATILE PARALLEL UNSAFE COST 1000
AS 'MODULE_PATHNAME', 'doublets_settle';
COMMENT ON FUNCTION doublets.settle(regclass) IS
  'Drops the records of versions that no transaction can judge differently any more, and the dead versions themselves, so that their ids are used again; returns the number of records dropped. Happens by itself as the store is used. Changes no links, so it is allowed in a READ ONLY transaction. Needs any of SELECT, INSERT, UPDATE, DELETE. O(versions in flight)';
