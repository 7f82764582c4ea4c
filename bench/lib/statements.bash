# shellcheck shell=bash
# The timed statements of the pgbench scripts: read out for EXPLAIN, and compared with those of the procedures.

# script_lines FILE [KIND]: what is timed, one line each, blanks squeezed: statements, and the `\set` lines between them.
# A statement after a line `-- untimed: …` is left out; of `\if :store … \else … \endif`, what KIND (doublets, or native)
# does not run. A `\if` about anything else is a matter of pgbench alone and keeps both sides.
script_lines() {
  awk -v kind="${2:-native}" '
    /^-- untimed/ { skip = 1; next }
    /^\\if :store$/ { choosing = 1; drop = (kind != "doublets"); next }
    /^\\else$/ && choosing { drop = !drop; next }
    /^\\endif$/ && choosing { choosing = drop = 0; next }
    drop { next }
    /^\\set / { print; next }
    /^--/ || /^\\/ || /^[[:space:]]*$/ { next }
    {
      line = line " " $0
      if ($0 ~ /;[[:space:]]*$/ || $0 ~ /\\gset/) {
        if (!skip) print line
        line = ""; skip = 0
      }
    }' "$1" |
    sed -E 's/[[:space:]]+/ /g; s/^ //'
}

# script_statements FILE [KIND]: the timed statements alone, variables as `:name`.
script_statements() {
  script_lines "$@" | sed -E '/^\\set /d; s/ *\\gset.*$/;/'
}

# procedure_statements FILE NAME: the SQL statements in the body of procedure bench.NAME, in the same form,
# variables without the colon.
procedure_statements() {
  awk -v name="$2" '
    index($0, "CREATE PROCEDURE bench." name "(") == 1 { inside = 1 }
    inside && /^END \$\$/ { exit }
    inside {
      text = $0
      sub(/^[[:space:]]+/, "", text)
      if (line == "" && text !~ /^(INSERT|UPDATE|DELETE|SELECT|PERFORM|WITH|COPY) /) next
      line = line " " text
      if (text ~ /;$/) { print line; line = "" }
    }' "$1" |
    sed -E 's/[[:space:]]+/ /g; s/^ //; s/^PERFORM /SELECT /
      s/ INTO ([a-z_]+)(, [a-z_]+)*( FROM|;)/\3/'
}

# statements_check: dies unless every procedure that is timed runs exactly the statements of its script.
statements_check() {
  local file name script checked=0
  for file in "$BENCH_ROOT"/workloads/{links8,links7,real,targets}/procedures.sql; do
    while read -r name; do
      script=$BENCH_ROOT/$name.sql
      [[ -f $script ]] || die "procedure bench.$name has no script bench/$name.sql"
      diff -u --label "bench/$name.sql" --label "procedure bench.$name" \
        <(script_statements "$script" | sed -E 's/(^|[^:]):([a-z_]+)/\1\2/g' | LC_ALL=C sort -u) \
        <(procedure_statements "$file" "$name" | LC_ALL=C sort -u) >&2 ||
        die "bench/$name.sql and procedure bench.$name time different statements"
      checked=$((checked + 1))
    done < <(sed -nE 's/^CREATE PROCEDURE bench\.([a-z0-9_]+)\(.*/\1/p' "$file")
  done
  ((checked > 0)) || die "no timed procedure was found"
  log "the timed statements of $checked procedures equal those of their scripts"
}

# script_plan FILE: `id` or `end`, how the planner must find the links; nothing where it may choose.
script_plan() {
  sed -nE 's/^-- plan: (id|end)$/\1/p' "$1"
}

# plans_check WORKLOAD BACKEND FILE: appends the plans of the workload's statements to FILE, with constants and as generic
# plans, and dies when one does not find its links as backends.csv demands: nobody is slow by accident.
plans_check() {
  local workload=$1 backend=$2 file=$3 plans=$WORK/plans kind by_id by_end
  kind=$(backend_kind "$backend")
  local statements=$WORK/plans-$1-$kind.sql
  [[ -s $statements ]] || plans_statements "$workload" "$kind" >"$statements"
  session "$backend" -v backend="$backend" -f "$statements" >"$plans"
  cat -- "$plans" >>"$file"
  IFS=, read -r by_id by_end < <(awk -F, -v OFS=, -v name="$backend" '$2 == name {print $9, $10}' \
    "$BENCH_ROOT/backends/backends.csv")
  awk -v by_id="$by_id" -v by_end="$by_end" '
    function judge() {
      if (wanted == "" || (found >= 2 && !whole)) return
      print text "expected: " wanted
      bad = 1
    }
    /^== / {
      judge(); text = ""; found = whole = 0
      wanted = $NF == "id" ? by_id : $NF == "end" ? by_end : $NF == "set" ? "Custom Scan \\(doublets (function|join)\\)" : ""
    }
    { text = text $0 "\n" }
    wanted != "" && $0 ~ wanted { found++ }
    /Seq Scan on (deep_)?links/ { whole = 1 }
    END { judge(); exit bad }' "$plans" >&2 || die "plans: $backend does not use the expected plans in $workload"
}

# plans_statements WORKLOAD KIND: EXPLAIN for every timed statement that can be prepared, for one psql session with its variable
# `backend`. A function that returns links or nodes must be a scan of its own in FROM, or part of a join of its own (`set`).
plans_statements() {
  local script name kind statement expected sets=' doublets\.(each|outgoing|incoming|usages|walk|hubs)\('
  for script in "$BENCH_ROOT/$1"_*.sql; do
    kind=$(script_plan "$script")
    name=$(basename "$script" .sql)
    [[ ,${OPERATIONS_MISSING:-}, != *",${name%%_*} ${name#*_},"* ]] || continue
    while read -r statement; do
      [[ $statement =~ ^(SELECT|WITH|UPDATE|DELETE) ]] || continue
      expected=${kind:-any}
      [[ ! $statement =~ $sets ]] || expected='set'
      printf '\\echo == :backend, %s, plan: %s\n' "${script##*/}" "$expected"
      sed -n 's/^SET LOCAL/SET/p' "$script"
      [[ -z $kind ]] || plans_settings "$1"
      plans_explain "$script" "$statement"
      printf 'RESET ALL;\n\\echo\n'
    done < <(script_statements "$script" "$2")
  done
}

# plans_settings WORKLOAD: links8 and links7 are so small that the planner reads the whole table instead of searching it, which would
# make native tables slower than they can be; its searches run without that choice.
plans_settings() {
  [[ $1 != links[78] ]] || printf 'SET enable_seqscan = off;\n'
}

# The variables of the scripts become parameters; each is a bigint.
plans_explain() {
  local script=$1 statement=$2 names=(scale new_id order_id tier) line name i=0 types='' values=''
  while IFS= read -r line; do
    [[ ! $line =~ ^\\set\ ([a-z0-9_]+)\  ]] || names+=("${BASH_REMATCH[1]}")
  done <"$script"
  for name in "${names[@]}"; do
    [[ $statement =~ [^:]:$name($|[^a-z0-9_]) ]] || continue
    i=$((i + 1))
    while [[ $statement =~ ^(.*[^:]):$name($|[^a-z0-9_].*$) ]]; do
      statement="${BASH_REMATCH[1]}\$$i${BASH_REMATCH[2]}"
    done
    types+=", bigint" values+=", 7"
  done
  [[ $i -eq 0 ]] || types="(${types:2})" values="(${values:2})"
  cat <<EOF
PREPARE timed$types AS $statement
SET plan_cache_mode = force_custom_plan;
EXPLAIN (COSTS OFF) EXECUTE timed$values;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE timed$values;
DEALLOCATE timed;
EOF
}
