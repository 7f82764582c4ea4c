# Memory is given back: by DROP, by the rollback of a CREATE, by TRUNCATE, by DROP DATABASE; and though an idle session
# still has it mapped.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use IPC::Run qw(start);
use Test::More;

my $fill = 'INSERT INTO links SELECT i, i, i % 100 FROM generate_series(1, 200000) AS i';

for my $backend (grep { $_ ne 'native' } backends())
{
	my $node = new_node("release_$backend", 'dynamic_shared_memory_type = mmap', 'fsync = off');
	make_links($node, $backend);
	$node->safe_psql('postgres', 'INSERT INTO links VALUES (1, 1, 1)');
	my $little = segment_bytes($node);
	$node->safe_psql('postgres', 'DROP FOREIGN TABLE links');

	# A session that has used every store so far and does nothing now.
	my ($in, $out, $err) = ('', '', '');
	my $idle = start [ 'psql', '-XAtq', '-d', $node->connstr('postgres') ], '<', \$in, '>', \$out, '2>', \$err, IPC::Run::timeout(120);
	my $use = sub {
		$out = '';
		$in .= "SELECT 'links ' || count(*) FROM links WHERE source < 1000000;\n";
		$idle->pump until $out =~ /links \d+\n/ || $err ne '';
		is($err, '', "$backend: the idle session has read the store");
	};
	my $released = sub {
		my ($how) = @_;
		my $bytes = segment_bytes($node);
		cmp_ok($bytes, '<', $little + 3_000_000, "$backend: $how gives the memory back ($bytes bytes, $little with one link)");
	};

	for my $round (1 .. 3)
	{
		make_links($node, $backend);
		$node->safe_psql('postgres', $fill);
		cmp_ok(segment_bytes($node), '>', 10_000_000, "$backend: 200,000 links take memory");
		$use->();
		$node->safe_psql('postgres', 'DROP FOREIGN TABLE links');
		$released->("DROP, round $round,");
	}

	make_links($node, $backend);
	for my $round (1 .. 3)
	{
		$node->safe_psql('postgres', $fill);
		$use->();
		$node->safe_psql('postgres', 'TRUNCATE links');
		$released->("TRUNCATE, round $round,");
	}
	$node->safe_psql('postgres', 'DROP FOREIGN TABLE links');

	for my $round (1 .. 3)
	{
		$node->safe_psql('postgres', "BEGIN; SELECT doublets.create_store('links', '$backend'); $fill; ROLLBACK");
		$released->("the rollback of a CREATE, round $round,");
	}
	$node->safe_psql('postgres', <<"SQL");
BEGIN; SAVEPOINT a; SELECT doublets.create_store('links', '$backend'); $fill; ROLLBACK TO a; SELECT 1; COMMIT
SQL
	$released->('the rollback of a savepoint');

	# The rollback of a TRUNCATE or a DROP keeps every link.
	make_links($node, $backend);
	$node->safe_psql('postgres', $fill);
	$node->safe_psql('postgres', 'BEGIN; TRUNCATE links; INSERT INTO links VALUES (1, 1, 1); ROLLBACK');
	is($node->safe_psql('postgres', 'SELECT count(*), sum(id) FROM links'), '200000|20000100000', "$backend: TRUNCATE rolled back");
	$node->safe_psql('postgres', 'BEGIN; DROP FOREIGN TABLE links; ROLLBACK');
	is($node->safe_psql('postgres', 'SELECT count(*), sum(id) FROM links'), '200000|20000100000', "$backend: DROP rolled back");
	is(broken($node, $backend), '', "$backend: sound");
	$node->safe_psql('postgres', 'DROP FOREIGN TABLE links');

	$node->safe_psql('postgres', 'CREATE DATABASE other');
	make_links($node, $backend, database => 'other');
	$node->safe_psql('other', $fill);
	cmp_ok(segment_bytes($node), '>', 10_000_000, "$backend: 200,000 links in another database");
	# A database made from it starts with an empty store.
	$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE other');
	is($node->safe_psql('copy', 'SELECT count(*) FROM links'), '0', "$backend: a copied database has an empty store");
	$node->safe_psql('copy', 'INSERT INTO links VALUES (5, 5, 5)');
	is($node->safe_psql('other', 'SELECT count(*) FROM links WHERE id = 5 AND source = 5'), '1', "$backend: of its own");
	$node->safe_psql('postgres', 'DROP DATABASE copy');
	$node->safe_psql('postgres', 'DROP DATABASE other');
	# Nothing of ours runs when a database is dropped: the next store that is made or listed sweeps.
	make_links($node, $backend, name => 'next');
	$node->safe_psql('postgres', 'INSERT INTO next VALUES (1, 1, 1)');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM doublets.stores'), '1', "$backend: one store is left");
	$released->('DROP DATABASE');
	$in .= "\\q\n";
	$idle->finish;
	$node->stop;
}

done_testing();
