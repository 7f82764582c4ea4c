-- contention: what the clients wait for, looked at every 20 ms until somebody ends it.
CREATE PROCEDURE bench.watch(of_run integer) LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    INSERT INTO bench.waits AS w (run, event, seen)
    SELECT of_run, coalesce(wait_event_type || ': ' || wait_event, 'on the CPU or ready for it'), count(*)
    FROM pg_stat_activity WHERE application_name = 'doublets_bench_client' AND state = 'active'
      AND query NOT LIKE 'CALL bench.%' GROUP BY 2
    ON CONFLICT (run, event) DO UPDATE SET seen = w.seen + excluded.seen;
    COMMIT;
    PERFORM pg_sleep(0.02);
  END LOOP;
END $$;
