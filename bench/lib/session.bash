# shellcheck shell=bash
# Talking to the server, and saying how far the run is. Requires common.bash; BENCH_ROOT is the folder bench/.

# sql [ARGUMENT…]: psql for scripts: no start-up file, rows only, the first error ends it.
sql() {
  psql -XAtq -v ON_ERROR_STOP=1 "$@"
}

# session BACKEND [ARGUMENT…]: the same, with `links` being the backend's table.
session() {
  local backend=$1
  shift
  PGOPTIONS="-c search_path=$backend,bench" sql "$@"
}

# talk_open RUN BACKEND: a session for the samples of a run, which other runs' samples come between: it stays open, so that what it
# has planned and mapped stays with it.
talk_open() {
  local pipe=$WORK/talk.$1 to from
  declare -gA TALK_TO TALK_FROM TALK_PID
  mkfifo "$pipe.to" "$pipe.from"
  session "$2" <"$pipe.to" >"$pipe.from" &
  TALK_PID[$1]=$!
  exec {to}>"$pipe.to" {from}<"$pipe.from"
  TALK_TO[$1]=$to TALK_FROM[$1]=$from
  rm -f -- "$pipe.to" "$pipe.from"
}

# talk RUN TEXT: the session does the text, SQL and psql's commands, and this waits for it. What it prints is not kept.
talk() {
  local line=''
  printf '%s\n\\qecho talked\n' "$2" >&"${TALK_TO[$1]}"
  until [[ $line == talked ]]; do
    IFS= read -r line <&"${TALK_FROM[$1]}" || die "a measuring session ended early"
  done
}

talk_close() {
  local to=${TALK_TO[$1]} from=${TALK_FROM[$1]}
  printf '\\q\n' >&"$to"
  wait "${TALK_PID[$1]}" || die "a measuring session failed"
  exec {to}>&- {from}<&-
}

# csv_line FIELD…: one line of CSV.
csv_line() {
  local line='' field
  for field in "$@"; do
    field=${field//$'\n'/ }
    line+=",\"${field//\"/\"\"}\""
  done
  printf '%s\n' "${line:1}"
}

clock() {
  printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

# progress DONE TOTAL WHAT: step DONE of TOTAL begins. Overwrites its line on a terminal; elsewhere every fifth second.
progress() {
  local done=$1 total=$2 what=$3 elapsed left='' text
  # A text takes several processes, which would slow down what is measured next.
  [[ -t 2 ]] || ((SECONDS - PROGRESS_SAID >= 5 || done == 1 || done == total)) || return 0
  elapsed=$((SECONDS - PROGRESS_STARTED))
  if ((done > 1)); then
    left=", about $(clock $((elapsed * (total - done + 1) / (done - 1)))) left"
  fi
  text="step $done of $total ($what), $(clock "$elapsed") elapsed$left"
  if [[ -t 2 ]]; then
    printf '\r\033[K%s' "$text" >&2
    ((done < total)) || printf '\n' >&2
  else
    log "$text"
    PROGRESS_SAID=$SECONDS
  fi
}

progress_start() {
  PROGRESS_STARTED=$SECONDS PROGRESS_SAID=$SECONDS
}
