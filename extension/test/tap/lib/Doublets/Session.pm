# A session that stays open: one psql, fed a piece of SQL at a time. Errors are part of what it says: "ERROR:  23505".
package Doublets::Session;

use strict;
use warnings;
use IPC::Run;

# Seconds after which a statement is given up.
my $patience = $ENV{DOUBLETS_TEST_LONG} ? 7200 : 180;

sub new
{
	my ($class, $node, $database) = @_;
	my $self = bless { in => '', out => '', number => 0 }, $class;
	$self->{run} = IPC::Run::start(
		[ $node->installed_command('psql'), '-XAtq', '-v', 'VERBOSITY=sqlstate', '-d', $node->connstr($database // 'postgres') ],
		'<', \$self->{in}, '>&', \$self->{out}, $self->{timeout} = IPC::Run::timeout($patience));
	$self->{pid} = $self->run('SELECT pg_backend_pid()');
	return $self;
}

sub pid { return $_[0]{pid}; }

# Runs SQL to its end and returns what was said, without the last newline.
sub run
{
	my ($self, $sql) = @_;
	$self->send($sql);
	return $self->finish;
}

# Starts SQL without waiting for its end.
sub send
{
	my ($self, $sql) = @_;
	$self->{timeout}->start($patience);
	$self->{mark} = 'end of statement ' . ++$self->{number};
	$self->{in} .= "$sql\n;\n\\echo '$self->{mark}'\n";
	$self->{run}->pump_nb;
	return;
}

# Waits for the end of what was sent. A session that is lost in the middle says 'lost'.
sub finish
{
	my ($self) = @_;
	eval {
		$self->{run}->pump while substr($self->{out}, -100) !~ /^\Q$self->{mark}\E\n/m;
		1;
	} or do { die $@ if $@ =~ /timeout/; $self->{out} .= 'lost'; };
	my ($said) = $self->{out} =~ /^(.*?)(?:^\Q$self->{mark}\E\n|\z)/ms;
	$self->{out} = '';
	$said =~ s/\n\z//;
	return $said;
}

# Whether what was sent waits for a lock, as another session sees it.
sub waits
{
	my ($self, $other) = @_;
	$self->{run}->pump_nb;
	return $other->run("SELECT cardinality(pg_blocking_pids($self->{pid})) > 0") eq 't';
}

sub quit
{
	my ($self) = @_;
	$self->{in} .= "\\q\n";
	eval { $self->{run}->finish };
	return;
}

1;
