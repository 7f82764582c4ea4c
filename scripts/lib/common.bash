# shellcheck shell=bash
# Shared by every script: messages, privileges, the scratch directory.
# Data goes to stdout, talk to stderr. Sourcing this file has no side effect but to define names.

# The checkout these scripts belong to, and the PostgreSQL major they support.
DOUBLETS_ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
PG_MAJOR=15
PG_CONFIG=${PG_CONFIG:-/usr/lib/postgresql/$PG_MAJOR/bin/pg_config}
export PG_CONFIG

# log TEXT…: one line of progress.
log() {
  printf '%s\n' "$*" >&2
}

# die TEXT…: says why and ends the calling shell with status 1.
die() {
  printf '%s: error: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# have COMMAND: whether it can be found in PATH.
have() {
  command -v "$1" >/dev/null 2>&1
}

is_root() {
  [[ $(id -u) -eq 0 ]]
}

# server_user: initdb and the server refuse root, so root lends them to `postgres`; anyone else is their own server user.
server_user() {
  if is_root; then
    printf 'postgres\n'
  else
    id -un
  fi
}

# as_root COMMAND…: runs it as root, through sudo when needed; dies when neither is to be had.
as_root() {
  if is_root; then
    "$@"
  elif have sudo; then
    sudo -- "$@"
  else
    die "this step needs root: run as root, or install sudo ($*)"
  fi
}

# run_as COMMAND…: runs it as the server user, with the caller's environment and stdin. The working directory is
# RUN_AS_DIR (default /), HOME and TMPDIR are the scratch directory: the caller's may be closed to that user.
run_as() {
  local dir=${RUN_AS_DIR:-/}
  if is_root; then
    (cd -- "$dir" && HOME=${SCRATCH:-/} TMPDIR=${SCRATCH:-/tmp} exec runuser -u "$(server_user)" -- "$@")
  else
    (cd -- "$dir" && exec "$@")
  fi
}

# scratch_create: makes the private directory SCRATCH (exported), owned by the server user, with a path short enough
# for Unix sockets. It is the only place these scripts write to, besides the installed extension.
scratch_create() {
  [[ -z ${SCRATCH:-} ]] || return 0
  SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/doublets-XXXXXX")
  export SCRATCH
  if is_root && id postgres >/dev/null 2>&1; then
    chown postgres: "$SCRATCH"
  fi
}

# scratch_remove: removes it; safe to call twice, and in a trap. KEEP_SCRATCH=1 leaves it for a look.
scratch_remove() {
  [[ -n ${SCRATCH:-} ]] || return 0
  if [[ ${KEEP_SCRATCH:-0} == 1 ]]; then
    log "kept: $SCRATCH"
  else
    rm -rf -- "$SCRATCH"
  fi
  unset SCRATCH
}
