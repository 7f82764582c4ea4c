# shellcheck shell=bash
# What was measured, where and how: provenance.csv, one `key,value` a line.

# provenance_write FILE: all of it. Called once everything is measured.
provenance_write() {
  {
    csv_line key value
    provenance_run
    provenance_machine
    provenance_server
  } >"$1"
}

provenance_run() {
  local workload
  csv_line date "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  csv_line size "$SIZE"
  csv_line workloads "${WORKLOADS[*]}"
  csv_line backends "${BACKENDS[*]}"
  csv_line left_out "$(IFS=,; echo "${LEFT_OUT[*]:-}")"
  csv_line cluster "$( ((SERVER)) && echo 'an existing server' || echo 'private')"
  csv_line seed "$SEED"
  csv_line repetitions "$REPETITIONS"
  csv_line samples "$SAMPLES"
  csv_line heavy_samples "$HEAVY_SAMPLES"
  csv_line load_samples "$LOAD_SAMPLES"
  csv_line warm_up_seconds "$WARM_UP"
  csv_line visits "$VISITS"
  csv_line turns "$TURNS"
  csv_line sample_seconds "$SAMPLE_SECONDS"
  csv_line short_warm_up_seconds "$SHORT_WARM_UP"
  csv_line short_sample_seconds "$SHORT_SECONDS"
  csv_line load_sample_seconds "$LOAD_SECONDS"
  csv_line client_sample_seconds "$CLIENT_SECONDS"
  csv_line client_core "${CLIENT_CORE:-any}"
  csv_line links8_background_links "$BACKGROUND"
  csv_line links8_links "$ACTIVE"
  csv_line targets_links "$TARGETS_LINKS"
  csv_line core_links "$CORE_LINKS"
  csv_line core_rounds "$CORE_ROUNDS"
  csv_line links7_background_links "$BACKGROUND7"
  csv_line links7_links "$ACTIVE7"
  csv_line deep_background_links "$DEEP_LINKS"
  csv_line linkbench_links "$LINKBENCH_LINKS"
  csv_line aged_links "$((1100 * AGED_SCALE))"
  csv_line aged_updates "$AGED_UPDATES"
  csv_line memory_links "$MEMORY_LINKS"
  if [[ -n ${GRAPH_SOURCE:-} ]]; then
    csv_line real_source "$GRAPH_SOURCE"
    csv_line real_input_sha256 "$GRAPH_INPUT_SHA256"
    csv_line real_edges_sha256 "$GRAPH_EDGES_SHA256"
    csv_line real_nodes "$DEBIAN_NODES"
  fi
  if [[ -n ${WORDNET_SHA256:-} ]]; then
    csv_line wordnet_edges_sha256 "$WORDNET_SHA256"
  fi
  csv_line measuring_seconds "$MEASURING_SECONDS"
  for workload in "${WORKLOADS[@]}"; do
    [[ -z ${WORKLOAD_US[$workload]:-} ]] || csv_line "seconds of $workload" "$((${WORKLOAD_US[$workload]} / 1000000))"
  done
}

provenance_machine() {
  csv_line commit "$(provenance_commit)"
  csv_line cpu "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)"
  csv_line cores "$(nproc)"
  csv_line memory_kb "$(awk '$1 == "MemTotal:" {print $2}' /proc/meminfo)"
  csv_line kernel "$(uname -sr)"
  # shellcheck source=/dev/null
  csv_line system "$(. /etc/os-release && printf '%s' "${PRETTY_NAME:-unknown}")"
  csv_line file_system "$(stat -f -c %T "$SCRATCH")"
  csv_line fdatasync_us "$FDATASYNC_US"
  csv_line compiler "$( (c++ --version 2>/dev/null || echo unknown) | head -n 1)"
  csv_line plotter "$(gnuplot --version)"
}

provenance_commit() {
  local git=(git -c "safe.directory=*" -C "$DOUBLETS_ROOT") commit
  commit=$("${git[@]}" rev-parse HEAD 2>/dev/null) || { echo unknown; return; }
  [[ -z $("${git[@]}" status --porcelain 2>/dev/null) ]] || commit+=" with local changes"
  printf '%s\n' "$commit"
}

provenance_server() {
  sql --csv <<'EOF'
SELECT 'server', version()
UNION ALL SELECT 'extension', 'doublets ' || extversion FROM pg_extension WHERE extname = 'doublets'
UNION ALL SELECT 'timed_checkpoints', checkpoints_timed::text FROM pg_stat_bgwriter
UNION ALL SELECT * FROM (
  SELECT 'setting ' || name, current_setting(name) FROM pg_settings
  WHERE name IN ('autovacuum', 'checkpoint_timeout', 'dynamic_shared_memory_type', 'effective_cache_size', 'fsync',
    'full_page_writes', 'jit', 'max_parallel_workers_per_gather', 'max_wal_size', 'plan_cache_mode', 'random_page_cost',
    'shared_buffers', 'synchronous_commit', 'wal_level', 'wal_sync_method', 'work_mem')
  ORDER BY 1) AS settings;
EOF
}

# fsync_measure: microseconds of one fdatasync of 8 kB on the file system of the cluster, by pg_test_fsync, which is
# stopped once it has said so.
fsync_measure() {
  FDATASYNC_US=unknown
  ((!SERVER)) || return 0
  local out=$WORK/fsync.log bindir
  bindir=$("$PG_CONFIG" --bindir)
  run_as timeout 5 "$bindir/pg_test_fsync" -s 1 -f "$SCRATCH/fsync.tmp" >"$out" 2>/dev/null || true
  run_as rm -f -- "$SCRATCH/fsync.tmp"
  FDATASYNC_US=$(awk '$1 == "fdatasync" && !seen++ {print $(NF - 1)}' "$out")
  [[ $FDATASYNC_US =~ ^[0-9]+$ ]] || FDATASYNC_US=unknown
}
