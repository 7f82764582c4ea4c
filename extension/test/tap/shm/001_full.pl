# A full /dev/shm: an error with a hint, nothing lost, the server alive. Runs where /dev/shm is a small file system of
# the test's own (see suite_shm in scripts/lib/suites.bash).
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Doublets;
use Test::More;

my ($size) = `df -k --output=size /dev/shm` =~ /(\d+)\s*$/;
plan skip_all => "/dev/shm has $size kB, too much to fill: run it in a mount namespace of its own" if $size > 262144;

for my $backend (grep { $_ ne 'native' } backends())
{
	my $node = new_node("full_$backend", 'dynamic_shared_memory_type = posix', 'fsync = off');
	my $idle = segment_bytes($node);
	make_links($node, $backend);
	$node->safe_psql('postgres', 'INSERT INTO links SELECT i, i, i % 100 FROM generate_series(1, 10000) AS i');
	my $sum = 'SELECT count(*), sum(id), sum(source), sum(target) FROM links';
	my $before = $node->safe_psql('postgres', $sum);
	my %filling = (
		'INSERT ... SELECT' => 'INSERT INTO links SELECT i, i, i FROM generate_series(10001, 10000000) AS i',
		'COPY' => "COPY links FROM PROGRAM 'seq 10001 5000000 | awk ''{print \$1, \$1, \$1}''' (DELIMITER ' ')",
		'create_links' => q{SELECT doublets.create_links('links', array_agg(i), array_agg(i)) FROM generate_series(1, 3000000) AS i},
		'UPDATE' => 'DO $$ BEGIN FOR i IN 1..1000 LOOP UPDATE links SET source = source + 1; END LOOP; END $$');
	for my $what (sort keys %filling)
	{
		my ($state, $said) = outcome($node, $filling{$what});
		is($state, '53100', "$backend: $what fills /dev/shm") or diag(substr($said, 0, 1000));
		like($said, qr/HINT:.*\/dev\/shm/s, "$backend: $what: the hint names /dev/shm");
		like($said, qr/HINT:.*--shm-size/s, "$backend: $what: and what to do in a container");
		is($node->safe_psql('postgres', $sum), $before, "$backend: $what: nothing is lost and nothing stays");
		is(broken($node, $backend), '', "$backend: $what: the store is sound");
	}
	# What was committed under a savepoint stays, and work goes on.
	my ($state, $said) = outcome($node, <<"SQL");
BEGIN;
INSERT INTO links VALUES (20000, -1, -1);
SAVEPOINT a;
\\set ON_ERROR_STOP off
$filling{'INSERT ... SELECT'};
\\set ON_ERROR_STOP on
ROLLBACK TO a;
INSERT INTO links VALUES (20001, -1, -1);
COMMIT;
SQL
	is($state, 'ok', "$backend: a transaction goes on from a savepoint") or diag($said);
	is($node->safe_psql('postgres', 'SELECT count(*) FROM links WHERE source = -1'), '2', "$backend: with all its own links");
	is(broken($node, $backend), '', "$backend: sound");
	my $log = PostgreSQL::Test::Utils::slurp_file($node->logfile);
	unlike($log, qr/terminated by signal/, "$backend: no process died");

	# The memory of the store comes back with DROP, to the byte a small store leaves.
	$node->safe_psql('postgres', 'DROP FOREIGN TABLE links');
	cmp_ok(segment_bytes($node), '<', $idle + 4_000_000, "$backend: DROP empties /dev/shm");
	make_links($node, $backend);
	is($node->safe_psql('postgres', 'INSERT INTO links VALUES (1, 1, 1) RETURNING id'), '1', "$backend: and the next store works");
	$node->stop;
	is(scalar(() = glob '/dev/shm/PostgreSQL.*'), 0, "$backend: nothing is left after the stop");
}

done_testing();
