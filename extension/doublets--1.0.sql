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
WHEN TAG IN ('CREATE FOREIGN TABLE', 'DROP FOREIGN TABLE', 'DROP TABLE', 'DROP SCHEMA', 'DROP OWNED', 'DROP SERVER',
             'DROP FOREIGN DATA WRAPPER', 'DROP EXTENSION')
EXECUTE FUNCTION doublets.ddl_command_start();
COMMENT ON EVENT TRIGGER doublets_ddl_command_start IS
  'Release of the memory of dropped stores. Without it, memory is released when the next store is created';

CREATE EVENT TRIGGER doublets_ddl_command_end ON ddl_command_end
WHEN TAG IN ('CREATE FOREIGN TABLE')
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
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED COST 10
AS 'MODULE_PATHNAME', 'doublets_store_stats';
COMMENT ON FUNCTION doublets.store_stats(regclass) IS
  'What the view doublets.stores shows, for one store; waits for its lock; errors 42501 without SELECT on the store or pg_monitor, 42809 not a store';

------------------------------------------------------------------------------------------------------------------------
-- FUNCTIONS ON LINKS: row type doublets.link, links, sets, settle, verify_store
------------------------------------------------------------------------------------------------------------------------
-- (begin)
-- (end)
