# Scans by several processes while other sessions write: in one snapshot they find what one process finds, to the last link;
# what all writers together leave alone never changes; and they can be cancelled.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{DOUBLETS_TEST_LONG} ? 60 : 4;
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;';

for my $backend (backends())
{
	my $node = new_node("parallel_$backend", 'fsync = off', 'max_worker_processes = 8', 'max_parallel_workers = 8');
	make_links($node, $backend);
	$node->safe_psql('postgres', <<'SQL');
INSERT INTO links SELECT i, i % 97, 100 FROM generate_series(1, 30000) AS i;
-- Moves something from one link to another, makes links and deletes them, and sometimes thinks better of it. The sum of all
-- targets stays.
CREATE PROCEDURE shuffle(a bigint, b bigint, what int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE links SET target = target - 1 WHERE id = least(a, b);
  UPDATE links SET target = target + 1, source = what WHERE id = greatest(a, b);
  IF what % 3 = 0 THEN
    INSERT INTO links SELECT 40000 + 100 * a + i, a, 5 - i FROM generate_series(0, 10) AS i ON CONFLICT DO NOTHING;
  END IF;
  DELETE FROM links WHERE source = b AND id > 40000;
  IF what % 7 = 0 THEN ROLLBACK; END IF;
END
$$;
SQL
	my $plan = $node->safe_psql('postgres', "$parallel EXPLAIN SELECT sum(target) FROM links");
	like($plan, qr/Parallel Foreign Scan on links/, "$backend: the scan is divided");
	my $script = $node->basedir . '/shuffle.sql';
	append_to_file($script, "\\set a random(1, 30000)\n\\set b random(1, 30000)\n\\set what random(0, 90)\nCALL shuffle(:a, :b, :what);\n");
	my @bench = ('pgbench', '-n', '-T', $seconds, '-c', 3, '--max-tries=100', '-f', $script, '-h', $node->host, '-p', $node->port, 'postgres');
	my $writers = IPC::Run::start(\@bench, '>', \my $out, '2>', \my $err);
	my ($rounds, $differ, $wrong) = (0, '', '');
	my $until = time + $seconds;
	while (time < $until)
	{
		my ($together, $alone, $again) = split /\n/, $node->safe_psql('postgres', <<"SQL");
$parallel
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT concat_ws(' ', sum(target), sum(source), sum(id::numeric), count(DISTINCT source)) FROM links;
SET LOCAL max_parallel_workers_per_gather = 0;
SELECT concat_ws(' ', sum(target), sum(source), sum(id::numeric), count(DISTINCT source)) FROM links;
SET LOCAL max_parallel_workers_per_gather = 2;
SELECT concat_ws(' ', sum(target), sum(source), sum(id::numeric), count(DISTINCT source)) FROM links;
COMMIT;
SQL
		$differ .= "$together | $alone | $again\n" if $together ne $alone || $again ne $alone;
		$wrong .= "$together\n" if $together !~ /^3000000 /;
		++$rounds;
	}
	$writers->finish;
	unlike($err, qr/client \d+ (aborted|script)/, "$backend: no writer ended early");
	is($differ, '', "$backend: several processes find what one finds, $rounds times");
	is($wrong, '', "$backend: they find the sum that no transaction changes");
	cmp_ok($rounds, '>', 3, "$backend: more than once");

	# Cancelled, and nothing stays behind.
	my ($status, $stdout, $stderr) = $node->psql('postgres',
		"$parallel SET statement_timeout = 200; SELECT sum(length(repeat(md5(id::text), 300)) * (SELECT count(*) FROM generate_series(1, 300))), count(*) FROM links, generate_series(1, 1000) AS g WHERE links.target + g <> 0");
	like($stderr, qr/canceling statement due to statement timeout/, "$backend: they can be cancelled");
	$node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'parallel worker'")
	  or die 'workers stay';
	is(broken($node, $backend), '', "$backend: the store is sound");
	$node->stop;
}
done_testing();
