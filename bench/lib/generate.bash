# shellcheck shell=bash
# The procedures that time a script inside the server, made from the script itself, so that both run the same
# statements by construction. A script may hold comments, `\set NAME EXPRESSION`, `\if :store … \else … \endif` (a form
# for stores, one for tables), statements, and statements ended by `\gset [PREFIX]` whose results are bigints. A comment
# before the statements may say:
#   -- plan: id|end     how the planner must find the links (statements.bash)
#   -- effect: N        how many links more there are after each time
#   -- answers: NAME    it must answer what that operation of the same workload answers
#   -- once             a sample is one time, and there are few of them
#   -- before: SQL      what is done before each sample, untimed; -- after: SQL  after it. psql's :scale is known
#   -- together         all times of a sample are one transaction; otherwise each is committed
#   -- untimed: …       the next statement belongs to runs by hand only

# generate_says FILE NAME: what the script says after `-- NAME:`, or nothing.
generate_says() {
  sed -nE "s/^-- $2: ([^ ]+)\$/\1/p" "$1" | head -n 1
}

# script_notes FILE: all that its comments say, in NOTES[NAME]; `yes` where there is only the name. Without another process.
script_notes() {
  local line
  declare -gA NOTES=()
  while IFS= read -r line; do
    if [[ $line =~ ^--\ ([a-z]+)(:\ (.*))?$ ]]; then
      NOTES[${BASH_REMATCH[1]}]=${BASH_REMATCH[3]:-yes}
    fi
  done <"$1"
}

# writes OPERATION: whether it changes the dataset, by its name.
writes() {
  [[ $1 =~ ^(create|update|insert|delete) ]]
}

# generate_line FILE NAME: the same, where it is a whole line of SQL.
generate_line() {
  sed -nE "s/^-- $2: (.*)\$/\1/p" "$1" | head -n 1
}

# generate_procedures SCRIPT…: SQL that creates, for each script and kind of backend, procedures bench.timed_<script>_<kind>
# with their callers, and bench.answer_<script>_<kind> where nothing is changed.
generate_procedures() {
  local file name kind
  for file; do
    name=$(basename "$file" .sql)
    for kind in native doublets; do
      generate_timed "$file" "$name" "$kind"
      if ! writes "${name#*_}" && [[ -z $(script_statements "$file" "$kind" | grep -E '(^|\()(INSERT|UPDATE|DELETE|COPY|EXPLAIN) ' || true) &&
        -z $(generate_says "$file" effect) ]]; then
        generate_answer "$file" "$name" "$kind"
      fi
      generate_sampled "$file" "${name}_$kind"
    done
  done
}

# generate_body FILE KIND answer|timed: the body of the loop over i, and before it the declarations, marked `D `.
# random(a, b) becomes a jump through [a, b] that every backend makes alike: it costs little and is no lottery.
generate_body() {
  script_lines "$1" "$2" | awk -v use="$3" '
    function expression(text, k) {
      while (match(text, /random\([^,()]*(\([^()]*\))?[^,()]*,[^()]*(\([^()]*\))?[^()]*\)/)) {
        part = substr(text, RSTART + 7, RLENGTH - 8)
        comma = index(part, ",")
        low = substr(part, 1, comma - 1); high = substr(part, comma + 1)
        text = substr(text, 1, RSTART - 1) "((" low ") + (i * " primes[++seed] "::bigint + client_id * 15485863) % ((" high ") - (" low ") + 1))" \
          substr(text, RSTART + RLENGTH)
      }
      return text
    }
    function named(text) {
      out = ""
      while (match(text, /:[a-z]/)) {
        before = substr(text, RSTART - 1, 1)
        if (RSTART > 1 && before == ":") { out = out substr(text, 1, RSTART); text = substr(text, RSTART + 1); continue }
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + 1)
      }
      return out text
    }
    BEGIN { split("2654435761 1610612741 805306457 402653189 201326611 100663319", primes, " ") }
    /^\\set / {
      name = $2
      text = $0
      sub(/^\\set [a-z_]+ /, "", text)
      if (!(name in known)) { known[name] = 1; print "D   " name " bigint;" }
      print "    " name " := " expression(named(text)) ";"
      next
    }
    {
      text = named($0)
      if (match(text, / \\gset.*$/)) {
        prefix = substr(text, RSTART + 6); gsub(/ /, "", prefix)
        text = substr(text, 1, RSTART - 1)
        # The name of the only column returned.
        column = text; sub(/^.* /, "", column)
        if (!((prefix column) in known)) { known[prefix column] = 1; print "D   " prefix column " bigint;" }
        print "    " text " INTO " prefix column ";"
        if (use == "timed") print "    rows := rows + 1;"
        next
      }
      if (use == "answer") {
        sub(/;$/, "", text)
        print "    FOR answered IN " text " LOOP"
        print "      answer := answer + hashtextextended(answered::text, 0);"
        print "    END LOOP;"
      } else if (text ~ / RETURNING / && text !~ /^WITH/) {
        sub(/;$/, "", text)
        print "    FOR answered IN " text " LOOP"
        print "      rows := rows + 1;"
        print "    END LOOP;"
      } else if (text ~ /^SELECT/) {
        sub(/^SELECT/, "PERFORM", text)
        print "    " text
        print "    GET DIAGNOSTICS n = ROW_COUNT;"
        print "    rows := rows + n;"
      } else if (text ~ /^(WITH|EXPLAIN)/) {
        sub(/;$/, " INTO answered;", text)
        print "    " text
        print "    rows := rows + 1;"
      } else {
        print "    " text
        print "    GET DIAGNOSTICS n = ROW_COUNT;"
        print "    rows := rows + n;"
      }
    }'
}

generate_timed() {
  local body commit='    COMMIT;'
  body=$(generate_body "$1" "$3" timed)
  if grep -qx -- '-- together' "$1"; then
    commit=''
  fi
  cat <<SQL
CREATE PROCEDURE bench.timed_$2_$3(client_id bigint, scale bigint, first bigint, times bigint, INOUT rows bigint)
LANGUAGE plpgsql AS \$\$
#variable_conflict use_column
DECLARE
  n bigint;
  answered record;
$(sed -n 's/^D//p' <<<"$body")
BEGIN
  FOR i IN first..first + times - 1 LOOP
$(sed '/^D/d' <<<"$body")
$commit
  END LOOP;
END \$\$;
SQL
}

generate_answer() {
  local body
  body=$(generate_body "$1" "$3" answer)
  cat <<SQL
CREATE FUNCTION bench.answer_$2_$3(scale bigint, times bigint) RETURNS numeric
LANGUAGE plpgsql AS \$\$
#variable_conflict use_column
DECLARE
  client_id bigint := 0;
  answered record;
  answer numeric := 0;
$(sed -n 's/^D//p' <<<"$body")
BEGIN
  FOR i IN 1..times LOOP
$(sed '/^D/d' <<<"$body")
  END LOOP;
  RETURN answer;
END \$\$;
SQL
}

# Three callers of the timed procedure: one that warms up and says how many times fill a sample, one that takes a sample, and
# one that is one of several backends at once. Each checks the number of links afterwards, unless a `-- after:` restores it.
generate_sampled() {
  local effect check='' met=''
  effect=$(generate_says "$1" effect)
  if [[ -z $(generate_line "$1" after) ]]; then
    check="CALL bench.count_effect(times * ${effect:-0});"
  fi
  if grep -qE '^(UPDATE|DELETE)' "$1"; then
    met="IF rows < times THEN RAISE EXCEPTION '$2: % rows in % times', rows, times; END IF;"
  fi
  cat <<SQL
CREATE PROCEDURE bench.warm_up_$2(scale bigint, warm_up_seconds double precision, sample_seconds double precision,
  INOUT first bigint, INOUT times bigint)
LANGUAGE plpgsql AS \$\$
DECLARE
  meter bench.meter;
  rows bigint := 0;
  spent double precision := 0;
BEGIN
  times := 1;
  LOOP
    meter := bench.meter_start();
    CALL bench.timed_$2(0, scale, first, times, rows);
    COMMIT;
    meter := bench.meter_stop(meter);
    first := first + times;
    spent := spent + meter.wall_us;
    $check
    EXIT WHEN spent >= greatest(warm_up_seconds, sample_seconds / 2) * 1e6;
    times := 2 * times;
  END LOOP;
  times := greatest(1, floor(times * sample_seconds * 1e6 / meter.wall_us));
END \$\$;

CREATE PROCEDURE bench.sample_$2(run_number integer, sample integer, scale bigint, first bigint, times bigint)
LANGUAGE plpgsql AS \$\$
DECLARE
  r bench.runs;
  meter bench.meter;
  rows bigint := 0;
BEGIN
  SELECT * INTO r FROM bench.runs WHERE run = run_number;
  COMMIT;
  meter := bench.meter_start();
  CALL bench.timed_$2(0, scale, first, times, rows);
  COMMIT;
  meter := bench.meter_stop(meter);
  $check
  $met
  IF sample > 0 THEN
    CALL bench.meter_keep(r, sample, times, meter);
  END IF;
END \$\$;

CREATE PROCEDURE bench.part_$2(run_number integer, sample integer, client bigint, scale bigint, first bigint,
  times bigint, clients bigint)
LANGUAGE plpgsql AS \$\$
DECLARE
  meter bench.meter;
  rows bigint := 0;
BEGIN
  CALL bench.enter(client, clients);
  COMMIT;
  meter := bench.meter_start();
  CALL bench.timed_$2(client, scale, first, times, rows);
  COMMIT;
  meter := bench.meter_stop(meter);
  INSERT INTO bench.parts VALUES (run_number, sample, client, times, meter.wall_us, meter.cpu_us);
END \$\$;
SQL
}
