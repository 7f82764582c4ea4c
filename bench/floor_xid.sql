-- floor: a transaction that only takes a transaction id, as everything that writes must.
SELECT pg_current_xact_id();
