#!/usr/bin/env bash
# run.sh CLIENT: one of the programs of this directory, on a store of each layout, against the server that PG* names.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

# compiled NAME OPTION…: builds the C++ program of that name and runs it.
compiled() {
  local name=$1 program=${TMPDIR:-/tmp}/$1
  shift
  [[ $program -nt $here/$name.cpp ]] || g++ -std=c++20 -Wall -Wextra -o "$program" "$here/$name.cpp" "$@"
  "$program"
}

main() {
  local client=$1 layout
  for layout in split united; do
    export LAYOUT=$layout STORE=client_${client}_$layout
    case $client in
      psql) bash "$here/psql.sh" ;;
      libpq) compiled libpq -I "$("${PG_CONFIG:-pg_config}" --includedir)" -lpq ;;
      odbc) compiled odbc -lodbc ;;
      jdbc) java -cp /usr/share/java/bsh.jar:/usr/share/java/postgresql.jar bsh.Interpreter "$here/jdbc.bsh" ;;
      node) NODE_PATH=${NODE_PATH:-/usr/share/nodejs} node "$here/node.js" ;;
      psycopg) /usr/bin/python3 "$here/psycopg.py" ;;
      *) printf 'no client %s\n' "$client" >&2; exit 2 ;;
    esac
  done
}

main "$@"
