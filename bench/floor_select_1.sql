-- floor: a statement that does nothing.
SELECT 1;
