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

# progress DONE TOTAL WHAT: run DONE of TOTAL begins. Overwrites its line on a terminal; elsewhere every fifth second.
progress() {
  local done=$1 total=$2 what=$3 elapsed left='' text
  # A text takes several processes, which would slow down what is measured next.
  [[ -t 2 ]] || ((SECONDS - PROGRESS_SAID >= 5 || done == 1 || done == total)) || return 0
  elapsed=$((SECONDS - PROGRESS_STARTED))
  if ((done > 1)); then
    left=", about $(clock $((elapsed * (total - done + 1) / (done - 1)))) left"
  fi
  text="run $done of $total ($what), $(clock "$elapsed") elapsed$left"
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
