-- floor: a statement that calls a C function which does next to nothing.
SELECT pg_backend_pid();
