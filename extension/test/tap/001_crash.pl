# A backend killed with SIGKILL in the middle of its writes: the server restarts by itself, a volatile store is empty and
# usable, no shared memory is left behind, and the next crash is no worse than the first.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use IPC::Run qw(start);
use PostgreSQL::Test::Utils;
use Test::More;

# Starts a session that writes until it dies; returns its harness and process id.
sub start_writer
{
	my ($node) = @_;
	my ($in, $out, $err) = ("", "", "");
	my $session = start [ 'psql', '-XAtq', '-d', $node->connstr('postgres') ], '<', \$in, '>', \$out, '2>', \$err,
	  IPC::Run::timeout(60);
	$in .= "SELECT pg_backend_pid();\n";
	$session->pump until $out =~ /^(\d+)\n/;
	my $pid = $1;
	$in .= <<'SQL';
DO $$
BEGIN
  LOOP
    INSERT INTO links(source, target) SELECT i % 50, i FROM generate_series(1, 200) AS i;
    UPDATE links SET source = source + 1 WHERE source = 7;
    DELETE FROM links WHERE source = 8;
    COMMIT;
  END LOOP;
END
$$;
SQL
	$session->pump_nb;
	return ($session, $pid);
}

for my $backend (backends())
{
	my $node = new_node("crash_$backend", 'dynamic_shared_memory_type = mmap');
	make_links($node, $backend);
	$node->safe_psql('postgres', 'CREATE TABLE kept(n int); INSERT INTO kept VALUES (1)');
	my $idle;
	for my $round (1 .. 3)
	{
		my ($session, $pid) = start_writer($node);
		ok(wait_for(30, sub { $node->safe_psql('postgres', 'SELECT count(*) > 1000 FROM links') eq 't' }),
			"$backend, round $round: the writer writes");
		is(kill('KILL', $pid), 1, "$backend, round $round: killed");
		eval { $session->finish };
		ok(wait_for(60, sub { (outcome($node, 'SELECT 1'))[0] eq 'ok' && !kill(0, $pid) }),
			"$backend, round $round: the server is back");
		my $expected = $backend eq 'native' ? 't' : 'f';
		is($node->safe_psql('postgres', 'SELECT EXISTS (SELECT FROM links)'), $expected,
			"$backend, round $round: a volatile store is empty");
		is(broken($node, $backend), '', "$backend, round $round: and sound");
		is($node->safe_psql('postgres', 'INSERT INTO links VALUES (1000000000, 2, 3) RETURNING source'), '2',
			"$backend, round $round: and usable");
		is($node->safe_psql('postgres', 'SELECT id FROM links WHERE source = 2 AND target = 3'), '1000000000',
			"$backend, round $round: and what is written can be found");
		is($node->safe_psql('postgres', 'SELECT count(*) FROM kept'), '1', "$backend, round $round: the other tables are kept");
		$node->safe_psql('postgres', 'DELETE FROM links WHERE id = 1000000000');
		# What is there after the first crash is what there may be after the third.
		$idle //= segment_bytes($node);
		cmp_ok(segment_bytes($node), '<=', $idle, "$backend, round $round: no shared memory is left behind");
	}
	my $log = slurp_file($node->logfile);
	my $crashes = () = $log =~ /was terminated by signal 9/g;
	is($crashes, 3, "$backend: no other process died");
	my $restarts = () = $log =~ /all server processes terminated; reinitializing/g;
	is($restarts, 3, "$backend: each crash was followed by one restart");
	$node->stop;
}

done_testing();
