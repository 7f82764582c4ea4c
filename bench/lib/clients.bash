# shellcheck shell=bash
# Workloads of several clients, by pgbench: how much they get done, how long each transaction takes, what they wait for.
# Requires measure.bash and generic.bash.

# load_sample RUN BACKEND CLIENTS RATE SAMPLE SCALE LOGGED FILE[@WEIGHT]…: a sample of about LOAD_SECONDS. RATE 0 is a closed loop: each
# client goes on at once. With a rate, transactions are due at random moments of that mean rate whether or not the server
# keeps up, and a transaction's time counts from when it was due: nothing that waits is left out. The number of
# transactions is fixed beforehand, because a fixed duration would cut off those that are late. Sample 0 finds that number.
# The time of a sample is that of one transaction: seconds divided by transactions; with a rate, the mean from due to done.
# In a closed loop each client begins with one transaction more, in which it touches what it will read and waits for the others, and ends
# with one that says that it is done. Transactions that are due at fixed times cannot wait for anybody.
load_sample() {
  local run=$1 backend=$2 clients=$3 rate=$4 sample=$5 scale=$6 logged=$7 kept=() turns sent out=$WORK/pgbench.log file jobs done_all wall options=() most=0
  shift 7
  declare -gA LOAD_TURNS
  turns=${LOAD_TURNS[$run]:-20}
  jobs=$((clients < $(nproc) ? clients : $(nproc)))
  sent=$turns
  if ((rate == 0)); then
    sent=$((turns + 2))
    options+=(-D turn=0)
  else
    options+=(-R "$rate")
  fi
  if ((logged && sample > 0)); then
    options+=(--log --log-prefix="$WORK/transactions")
  fi
  for file; do
    if ((rate == 0)); then
      load_script "$BENCH_ROOT/${file%@*}" "$clients" "$sent" >"$WORK/${file%@*}"
      options+=(-f "$WORK/$file")
    else
      options+=(-f "$BENCH_ROOT/$file")
    fi
  done
  ((sample > 0)) || session "$backend" -c "UPDATE bench.runs SET probe_before_us = bench.probe() WHERE run = $run"
  PGAPPNAME=doublets_bench_client PGOPTIONS="-c search_path=$backend,bench" pgbench -n -M prepared -c "$clients" -j "$jobs" \
    -s "$scale" --random-seed=$((SEED + sample + 1)) -t "$sent" "${options[@]}" >"$out" 2>&1 ||
    { cat "$out" >&2; die "pgbench failed: $* on $backend"; }
  done_all=$(sed -nE 's/^number of transactions actually processed: ([0-9]+)\/([0-9]+)$/\1 \2/p' "$out")
  [[ $done_all == "$((clients * sent)) $((clients * sent))" ]] || die "pgbench did not finish: $* on $backend: $done_all"
  if ((rate > 0)); then
    wall="1000 * $(sed -nE 's/^latency average = ([0-9.]+) ms.*/\1/p' "$out")"
  else
    wall=$(sql -c "SELECT bench.meeting_us() / $((clients * turns))")
  fi
  if ((sample > 0)); then
    kept=(-c "INSERT INTO bench.samples SELECT workload, mode, operation, backend, repetition, $sample, $((clients * turns)), $wall
      FROM bench.runs WHERE run = $run")
    ((!logged)) || load_transactions "$run" "$sample" "$turns" "$((sent - turns))"
  else
    ((!logged)) || most=$((TRANSACTIONS_KEPT / clients))
    LOAD_TURNS[$run]=$(awk -v rate="$rate" -v wall="$wall" -v seconds="$LOAD_SECONDS" -v clients="$clients" -v most="$most" 'BEGIN {
      n = int((rate > 0 ? rate : 1e6 / wall) * seconds / clients) + 1; if (most > 0 && n > most) n = most; print n }')
  fi
  session "$backend" "${kept[@]}" -c "UPDATE bench.runs SET probe_after_us = greatest(probe_after_us, bench.probe()) WHERE run = $run"
}

# load_script FILE CLIENTS SENT: the script, of which each client runs the first and the last of SENT transactions for the meeting.
load_script() {
  printf '%s\n' '\set turn :turn + 1' '\if :turn = 1' "CALL bench.enter(:client_id, $2);" "\\elif :turn = $3" \
    'CALL bench.leave(:client_id);' '\else'
  cat -- "$1"
  printf '%s\n' '\endif'
}

# load_transactions RUN SAMPLE TURNS EXTRA: every transaction of the sample, from pgbench's logs; not the first and the last of each client,
# where there are EXTRA ones.
load_transactions() {
  cat "$WORK"/transactions.* | awk -v OFS='\t' -v run="$1" -v sample="$2" -v turns="$3" -v extra="$4" \
    'extra == 0 || ($2 > 1 && $2 <= turns + 1) { print run, sample, $1, $2, $4, $5 "." sprintf("%06d", $6), $3, (NF > 6 ? $7 : 0) }' >"$WORK/transactions"
  rm -f -- "$WORK"/transactions.*
  sql -c '\copy bench.transactions FROM pstdin' <"$WORK/transactions"
}

# load_step RUN BACKEND CLIENTS RATE SAMPLE SCALE LOGGED FILE…: a step of a run whose dataset is there: a checkpoint, or a sample.
load_step() {
  if (($5 < 0)); then
    sql -c CHECKPOINT
  else
    load_sample "$@"
  fi
}

workload_linkbench_seed() {
  sql -c "CALL bench.linkbench_input($((LINKBENCH_LINKS / 1000)))"
}

# Mode cN: N clients. Each run begins with the seed.
workload_linkbench() {
  local run=$1 clients=${2#c} backend=$4 sample=$5 scale=$((LINKBENCH_LINKS / 1000))
  if ((sample < 0)); then
    session "$backend" -c 'CALL bench.linkbench_load()'
    tidy "$backend"
    [[ " ${LINKBENCH_CHECKED:-} " == *" $backend "* ]] || plans_check linkbench "$backend" "$RAW/plans.txt"
    LINKBENCH_CHECKED+=" $backend"
  fi
  load_step "$run" "$backend" "$clients" 0 "$sample" "$scale" 1 linkbench_{list.sql@507,get_node.sql@129,add_link.sql@90} \
    linkbench_{update_link.sql@80,update_node.sql@74,count.sql@49,delete_link.sql@30,add_node.sql@26,delete_node.sql@10} \
    linkbench_pair.sql@5
  ! run_ends "$run" || session "$backend" -c 'CALL bench.linkbench_check()'
}

# The statements of one checkout and one quote are counted on every backend, by the server's own log of statements.
workload_checkout_seed() {
  local backend name wanted found
  for backend in "${BACKENDS[@]}"; do
    session "$backend" -c 'CALL bench.checkout_seed(0)'
    tidy "$backend"
    plans_check checkout "$backend" "$RAW/plans.txt"
    for name in checkout:15 quote:6; do
      wanted=${name#*:}
      found=$(checkout_statements "$backend" "${name%:*}")
      [[ $found == "$wanted" ]] || die "checkout: ${name%:*} has $found statements on $backend instead of $wanted"
    done
  done
  log "a checkout has 15 statements and a quote 6, on every backend"
}

# checkout_statements BACKEND NAME: how many statements the server logs of one run of the script.
checkout_statements() {
  PGOPTIONS="-c search_path=$1,bench -c log_statement=all -c client_min_messages=log" \
    pgbench -n -M simple -t 1 -f "$BENCH_ROOT/checkout_$2.sql" 2>&1 | grep -c 'LOG:  statement: ' || true
}

# Mode cN: N clients in a closed loop; rN: N transactions a second are due, for eight clients.
workload_checkout() {
  local run=$1 mode=$2 operation=$3 backend=$4 sample=$5 orders=0
  if ((sample < 0)); then
    # A summary needs orders that are there.
    [[ $operation != summary ]] || orders=20000
    session "$backend" -c "CALL bench.checkout_seed($orders)"
    tidy "$backend"
  fi
  case $mode in
    c*) load_step "$run" "$backend" "${mode#c}" 0 "$sample" 1 1 "checkout_$operation.sql" ;;
    r*) load_step "$run" "$backend" 8 "${mode#r}" "$sample" 1 1 "checkout_$operation.sql" ;;
  esac
  ! run_ends "$run" || session "$backend" -c 'CALL bench.checkout_check()'
}

workload_contention_seed() { :; }

# Mode cN: N clients on one store. During a sample it is noted every 20 ms what they wait for.
workload_contention() {
  local run=$1 clients=${2#c} operation=$3 backend=$4 sample=$5 scale=100 watcher='' files
  case $operation in
    mixed) files=(contention_read.sql@8 contention_write.sql@2) ;;
    *) files=("contention_$operation.sql") ;;
  esac
  ((sample >= 0)) || graph_ready contention "$backend" "$scale"
  if ((sample > 0)); then
    session "$backend" -c "CALL bench.watch($run)" >/dev/null 2>&1 &
    watcher=$!
  fi
  load_step "$run" "$backend" "$clients" 0 "$sample" "$scale" 0 "${files[@]}"
  if [[ -n $watcher ]]; then
    sql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CALL bench.watch(%' AND pid <> pg_backend_pid()" >/dev/null
    wait "$watcher" || true
  fi
  if run_ends "$run"; then
    session "$backend" -c 'CALL bench.count_effect(0)'
    tidy "$backend"
  fi
}
