#!/usr/bin/env bash
# Checks of the text itself: shell scripts, the wall between core and PostgreSQL, file sizes. One TAP line per check.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
failures=0

# report NAME OUTPUT: passes when OUTPUT is empty.
report() {
  if [[ -z $2 ]]; then
    printf 'ok - %s\n' "$1"
  else
    printf 'not ok - %s\n' "$1"
    printf '%s\n' "$2" | sed 's/^/# /'
    failures=$((failures + 1))
  fi
}

# files PATTERN…: the project's files with such names, build products left out.
files() {
  local pattern arguments=()
  for pattern in "$@"; do
    arguments+=(-o -name "$pattern")
  done
  find . \( -name .git -o -name build -o -name results -o -name tmp_check \) -prune -o -type f \
    \( "${arguments[@]:1}" \) -print | LC_ALL=C sort
}

check_shell() {
  local programs=() libraries=()
  mapfile -t programs < <(files '*.sh' '*.bats')
  mapfile -t libraries < <(files '*.bash')
  [[ ! -f .ci/run ]] || programs+=(.ci/run)
  report "shellcheck has nothing to say about programs" "$(shellcheck -x "${programs[@]}" 2>&1 || true)"
  # Whether a library's variable is used is known only to those who source it.
  report "shellcheck has nothing to say about libraries" "$(shellcheck -x -e SC2034,SC2153 "${libraries[@]}" 2>&1 || true)"
}

check_strict() {
  local file found=''
  while read -r file; do
    grep -q '^set -euo pipefail$' "$file" || found+="$file"$'\n'
  done < <(files '*.sh')
  report "every script starts with set -euo pipefail" "$found"
}

check_core() {
  report "core includes no PostgreSQL header" "$(grep -rnE \
    '#[[:space:]]*include[[:space:]]*[<"](postgres|postgres_ext|c\.h|fmgr|pg_config|libpq|access/|catalog/|commands/|executor/|foreign/|funcapi|lib/|mb/|miscadmin|nodes/|optimizer/|parser/|port/|storage/|tcop/|utils/)' \
    extension/core 2>&1 || true)"
}

check_layers() {
  report "core does not include the adapter" "$(grep -rnE '#[[:space:]]*include[[:space:]]*[<"](\.\./)*(extension/)?pg/' \
    extension/core 2>/dev/null || true)"
}

check_length() {
  report "no source file has more than 600 lines" "$(files '*.cpp' '*.hpp' '*.h' '*.sh' '*.bash' '*.pl' |
    while read -r file; do wc -l "$file"; done | awk '$1 > 600')"
}

check_space() {
  report "no trailing blanks" "$(files '*.cpp' '*.hpp' '*.h' '*.sh' '*.bash' '*.pl' '*.sql' '*.spec' '*.md' '*.mk' |
    xargs -r grep -nE '[[:blank:]]+$' 2>/dev/null | head -n 20 || true)"
}

main() {
  cd "$root"
  check_shell
  check_strict
  check_core
  check_layers
  check_length
  check_space
  [[ $failures -eq 0 ]]
}

main "$@"
