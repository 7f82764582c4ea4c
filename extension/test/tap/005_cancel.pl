# Statements that are cancelled, time out or lose their session in the middle: nothing of them stays, the store is sound.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use IPC::Run qw(start);
use Test::More;

for my $backend (backends())
{
	my $node = new_node("cancel_$backend", 'fsync = off');
	make_links($node, $backend);
	$node->safe_psql('postgres', 'INSERT INTO links SELECT i, i % 100, i FROM generate_series(1, 50000) AS i');
	my $sum = 'SELECT count(*), sum(id), sum(source), sum(target) FROM links';
	my $before = $node->safe_psql('postgres', $sum);
	my %statement = (
		'INSERT ... SELECT' => 'INSERT INTO links SELECT i, i, i FROM generate_series(50001, 50000000) AS i',
		'UPDATE' => 'UPDATE links SET source = source + 1 FROM generate_series(1, 1000000) AS g WHERE g >= links.id',
		'DELETE' => 'DELETE FROM links WHERE (SELECT count(*) FROM generate_series(1, 5000) AS g WHERE g <> links.id) > 0',
		'SELECT' => 'SELECT count(*) FROM links AS a, links AS b, links AS c WHERE a.source + b.source + c.source = -1');
	$statement{'walk'} = "SELECT sum(w.id) FROM generate_series(1, 1000000) AS g, LATERAL doublets.walk('links', g, 'both') AS w"
	  if $backend ne 'native';
	for my $what (sort keys %statement)
	{
		for my $timeout (1, 20, 150)
		{
			my ($state, $said) = outcome($node, "SET statement_timeout = $timeout; $statement{$what}");
			is($state, '57014', "$backend: $what ends after $timeout ms") or diag($said);
			is($node->safe_psql('postgres', $sum), $before, "$backend: nothing of $what stays");
			is(broken($node, $backend), '', "$backend: sound after $what");
		}
	}
	# A session that is terminated, and one whose client goes away.
	my ($in, $out, $err) = ("SELECT pg_backend_pid();\n", '', '');
	my $session = start [ 'psql', '-XAtq', '-d', $node->connstr('postgres') ], '<', \$in, '>', \$out, '2>', \$err, IPC::Run::timeout(60);
	$session->pump until $out =~ /^(\d+)\n/;
	my $pid = $1;
	$in .= "BEGIN; UPDATE links SET source = -1; DELETE FROM links WHERE id < 1000; INSERT INTO links(source, target) VALUES (-1, -1);\n"
	  . "$statement{'INSERT ... SELECT'};\n";
	$session->pump_nb;
	ok(wait_for(20, sub { $session->pump_nb; $node->safe_psql('postgres',
		"SELECT query LIKE 'INSERT INTO links SELECT%' FROM pg_stat_activity WHERE pid = $pid") eq 't' }), "$backend: a session writes");
	is($node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 10000)"), 't', "$backend: and is terminated");
	eval { $session->finish };
	is($node->safe_psql('postgres', $sum), $before, "$backend: nothing of it stays");
	is(broken($node, $backend), '', "$backend: sound after a terminated session");
	# Its links are free for others.
	is((outcome($node, "SET lock_timeout = '5s'; UPDATE links SET source = source"))[0], 'ok', "$backend: no lock is left");
	is($node->safe_psql('postgres', $sum), $before, "$backend: all as before");
	$node->stop;
}

done_testing();
