# Stops of every kind: a volatile store outlives none, is empty and usable afterwards, and leaves no files behind.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use Test::More;

for my $backend (backends())
{
	my $node = new_node("restart_$backend", 'dynamic_shared_memory_type = mmap');
	make_links($node, $backend);
	$node->safe_psql('postgres', 'INSERT INTO links VALUES (7, 1, 2); DELETE FROM links');
	my $idle = segment_bytes($node);
	for my $mode ('fast', 'immediate', 'smart', 'immediate')
	{
		$node->safe_psql('postgres', 'INSERT INTO links SELECT i, i, i FROM generate_series(1, 20000) AS i');
		cmp_ok(segment_bytes($node), '>', $idle + 100_000, "$backend: the links are in shared memory") if $backend ne 'native';
		$node->stop($mode);
		is(scalar(glob $node->data_dir . '/pg_dynshmem/mmap.*'), undef, "$backend: nothing is left after a $mode stop")
		  if $mode ne 'immediate';
		$node->start;
		is($node->safe_psql('postgres', 'SELECT count(*) FROM links'), $backend eq 'native' ? 20000 : 0,
			"$backend: empty after a $mode stop");
		$node->safe_psql('postgres', 'DELETE FROM links');
		is($node->safe_psql('postgres', 'INSERT INTO links VALUES (7, 1, 2) RETURNING id'), '7', "$backend: and usable");
		is(broken($node, $backend), '', "$backend: and sound");
		$node->safe_psql('postgres', 'DELETE FROM links');
		cmp_ok(segment_bytes($node), '<=', $idle, "$backend: the memory of before is gone after a $mode stop");
	}
	$node->stop;
}

done_testing();
