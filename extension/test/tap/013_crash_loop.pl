# Backends killed with SIGKILL at random moments under a mixed load of reads, writes, row locks, functions and DDL:
# each time the server restarts, volatile stores are empty, ordinary tables whole, no shared memory is left behind,
# and the next session works.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use Doublets::Storm;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $rounds = $ENV{DOUBLETS_TEST_LONG} ? 40 : 3;

for my $backend (backends())
{
	srand 7;
	my $node = new_node("loop_$backend", 'dynamic_shared_memory_type = mmap', 'log_statement = none',
		'deadlock_timeout = 100ms');
	make_links($node, $backend);
	$node->safe_psql('postgres', 'CREATE TABLE kept AS SELECT i FROM generate_series(1, 1000) AS i');
	my $little = 'INSERT INTO links VALUES (7, 1, 2); DELETE FROM links';
	$node->safe_psql('postgres', $little);
	my $idle = segment_bytes($node);
	my $files = () = segments($node);
	for my $round (1 .. $rounds)
	{
		my $name = "$backend, round $round";
		my $log = -s $node->logfile;
		my ($run, $out, $err) = start_storm($node, $backend, 60);
		my @pids;
		my $find = q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'
			AND query LIKE 'DO%' ORDER BY pid};
		ok(wait_for(30, sub { @pids = split /\n/, $node->safe_psql('postgres', $find); @pids == 6 }),
			"$name: the load is on");
		usleep(int rand 1_000_000);
		my $pid = $pids[ rand @pids ];
		is(kill('KILL', $pid), 1, "$name: one is killed");
		eval { $run->finish };
		ok(wait_for(60, sub { slurp_file($node->logfile, $log) =~ /all server processes terminated; reinitializing.*ready to accept connections/s }),
			"$name: the server is back");
		unlike(slurp_file($node->logfile, $log), qr/terminated by signal (?!9\b)/, "$name: nobody died otherwise");
		is($node->safe_psql('postgres', 'SELECT count(*), sum(i) FROM kept'), '1000|500500',
			"$name: an ordinary table is whole");
		is($node->safe_psql('postgres', 'SELECT count(*) FROM links'), '0',
			"$name: the store is empty") if $backend ne 'native';
		$node->safe_psql('postgres', 'DELETE FROM links');
		is($node->safe_psql('postgres', 'INSERT INTO links SELECT i, i % 10, i FROM generate_series(1, 1000) AS i;
			UPDATE links SET source = 3 WHERE id % 2 = 0;'
			. ' SELECT count(*) FROM links WHERE source = 3; SELECT count(*) FROM (SELECT FROM links
				WHERE source = 3 FOR UPDATE) AS l'), "600\n600", "$name: the next session works");
		is(broken($node, $backend), '', "$name: on a sound store");
		$node->safe_psql('postgres', "TRUNCATE links; $little");
		cmp_ok(segment_bytes($node), '<=', $idle, "$name: no memory is left behind");
		cmp_ok(scalar(() = segments($node)), '<=', $files, "$name: nor a file");
	}
	$node->stop;
	is(scalar(() = glob $node->data_dir . '/pg_dynshmem/mmap.*'), 0, "$backend: and nothing at the end");
}

done_testing();
