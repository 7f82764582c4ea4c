-- Before a bulk load: no index; indexes.sql makes them again.
ALTER TABLE links DROP CONSTRAINT links_pkey;
DROP INDEX links_source, links_target;
