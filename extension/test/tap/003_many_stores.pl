# Two thousand stores of one row each: segments are scarce, so small stores share them; parallel query, which needs
# segments too, still works.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use Test::More;

my $stores = 2000;

for my $backend (backends())
{
	my $node = new_node("many_$backend", 'dynamic_shared_memory_type = mmap', 'fsync = off', 'max_connections = 20');
	make_links($node, $backend, name => 'first');
	$node->safe_psql('postgres', 'INSERT INTO first VALUES (1, 1, 1); DELETE FROM first');
	my $idle = segment_bytes($node);
	my $rest = $backend eq 'native'
	  ? "CREATE TABLE s%s (id bigint PRIMARY KEY, source bigint, target bigint)"
	  : "CREATE FOREIGN TABLE s%s (id bigint, source bigint, target bigint) SERVER doublets OPTIONS (layout ''$backend'')";
	my $script = "SELECT format('$rest', i) FROM generate_series(1, $stores) AS i \\gexec\n"
	  . "SELECT format('INSERT INTO s%s VALUES (%s, %s, %s)', i, i, i * 2, i * 3) FROM generate_series(1, $stores) AS i \\gexec\n";
	my ($state, $said) = outcome($node, $script);
	is($state, 'ok', "$backend: $stores stores are made and filled") or diag(substr($said, -500));
	my $wrong = $node->safe_psql('postgres', <<"SQL");
DO \$\$
DECLARE
  l record;
BEGIN
  FOR i IN 1..$stores LOOP
    EXECUTE format('SELECT * FROM s%s WHERE source = %s', i, i * 2) INTO l;
    IF l IS NULL OR l.id <> i OR l.target <> i * 3 THEN
      RAISE EXCEPTION 'store % holds %', i, l;
    END IF;
    COMMIT;
  END LOOP;
END
\$\$;
SELECT 'right';
SQL
	is($wrong, 'right', "$backend: each holds its row");
	is($node->safe_psql('postgres', 'SELECT count(*), sum(links) FROM doublets.stores'), ($stores + 1) . "|$stores",
		"$backend: all are known") if $backend ne 'native';
	my @segments = segments($node);
	cmp_ok(scalar(@segments), '<', 60, "$backend: segments are shared") if $backend ne 'native';
	is($node->safe_psql('postgres', <<'SQL'), 't', "$backend: parallel workers are started");
CREATE TABLE big AS SELECT i FROM generate_series(1, 200000) AS i;
ANALYZE big;
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
CREATE FUNCTION launched() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) SELECT sum(i) FROM big' INTO plan;
  RETURN plan::text ~ '"Workers Launched": [1-9]';
END
$$;
SELECT launched();
SQL
	my $full = segment_bytes($node);
	is((outcome($node, "SELECT format('DROP %s s%s', "
		. ($backend eq 'native' ? "'TABLE'" : "'FOREIGN TABLE'") . ", i) FROM generate_series(1, $stores) AS i \\gexec"))[0],
		'ok', "$backend: all are dropped");
	is($node->safe_psql('postgres', 'SELECT count(*) FROM doublets.stores'), '1', "$backend: one is left") if $backend ne 'native';
	cmp_ok(segment_bytes($node), '<=', $idle + 3_000_000, "$backend: dropping gives their memory back");
	($state, $said) = outcome($node, $script);
	is($state, 'ok', "$backend: and made again") or diag(substr($said, -500));
	cmp_ok(segment_bytes($node), '<=', $full * 1.5, "$backend: in the same memory");
	$node->stop;
}

done_testing();
