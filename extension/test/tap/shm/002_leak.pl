# A backend killed with SIGKILL: the segments of /dev/shm it and the others used are gone after the restart.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Doublets;
use Test::More;

my ($size) = `df -k --output=size /dev/shm` =~ /(\d+)\s*$/;
plan skip_all => "/dev/shm has $size kB: run it in a mount namespace of its own" if $size > 262144;

for my $backend (grep { $_ ne 'native' } backends())
{
	my $node = new_node("leak_$backend", 'dynamic_shared_memory_type = posix', 'fsync = off');
	make_links($node, $backend);
	my $idle;
	for my $round (1 .. 3)
	{
		$node->safe_psql('postgres', 'INSERT INTO links SELECT i, i, i % 100 FROM generate_series(1, 50000) AS i');
		my ($state) = outcome($node, 'UPDATE links SET source = 1; COPY (SELECT 1) TO PROGRAM \'kill -9 $PPID\'');
		is($state, 'lost', "$backend, round $round: the session is killed");
		ok(wait_for(60, sub { (outcome($node, 'SELECT 1'))[0] eq 'ok' }), "$backend, round $round: the server is back");
		is($node->safe_psql('postgres', 'SELECT count(*) FROM links'), '0', "$backend, round $round: the store is empty");
		$node->safe_psql('postgres', 'INSERT INTO links VALUES (1, 1, 1); DELETE FROM links');
		$idle //= segment_bytes($node);
		cmp_ok(segment_bytes($node), '<=', $idle, "$backend, round $round: nothing more is left than before");
	}
	$node->stop('immediate');
	$node->start;
	$node->safe_psql('postgres', 'INSERT INTO links VALUES (1, 1, 1); DELETE FROM links');
	cmp_ok(segment_bytes($node), '<=', $idle, "$backend: nor after an immediate stop");
	$node->stop;
}

done_testing();
