# shellcheck shell=bash disable=SC2034  # the settings are read by the other libraries
# What to measure: size, environment variables, command line. Everything is checked before anything is started.

BENCH_VERBS=(run report compare conformance list)
BENCH_WORKLOADS=(floors links8 links7 deep real targets bulk functions scale aged linkbench checkout contention backends core
  memory)
# Those whose procedures are made from their scripts, and those that use the dataset of 1100 × scale links.
BENCH_GENERIC=(deep bulk functions scale aged backends)
BENCH_GRAPH=(bulk functions scale aged contention backends)
# Those whose data is larger than the caches: a backend's samples are taken in a row.
BENCH_LARGE=(targets bulk functions scale aged)

bench_usage() {
  cat <<'EOF'
Usage: scripts/bench.sh [run [quick|standard|full]] [OPTION…]
       scripts/bench.sh report DIRECTORY        make report and charts again from the CSV files in DIRECTORY
       scripts/bench.sh compare FIRST SECOND    two results cell by cell: ratios, significance, verdicts that changed
       scripts/bench.sh conformance             run the fixed corpus on every backend and compare the answers
       scripts/bench.sh list                    backends, workloads and operations

Without arguments: all set-up, then `run quick` on a private throw-away cluster.

Options of run:
  --workloads NAME,…      of floors, links8, links7, deep, real, targets, bulk, functions, scale, aged, linkbench,
                          checkout, contention, backends, core, memory (default: quick: floors, links8, real, targets;
                          standard: all but backends, core and memory; full: all);
                          floors are added to core and memory alone
  --output DIRECTORY      where the results go (default: results/<time> in the checkout); must not exist
  --seed NUMBER           order of the runs (default 1)
  --targets-links NUMBER  links of the dataset of `targets`, without its hub (default: 100000 quick, else 1000000)
  --data-directory DIR    where the private cluster lives while it runs (default: TMPDIR or /tmp); not on a tmpfs
  --readme FILE           (run and report) also puts the short form between the markers results:begin and results:end in
                          FILE, and what it refers to into bench/results/ beside it
  --server                measure on the server that PG* variables name, in a database of its own: PGDATABASE (default
                          doublets_bench), which must not exist or be empty and is left as it was. Needs a superuser
                          and the installed extension. Its settings are recorded, not changed.
  --no-setup              packages and extension are already installed

Environment:
  BENCHMARK_BACKEND           native, doublets, all, or names separated by commas (see `list`)
  BENCHMARK_BACKGROUND_LINKS  B, links that are there: of links8 (default 1000, quick 100), links7 (3000, quick 30) and
                              deep (10000, quick 1000, full 1000000)
  BENCHMARK_LINKS             N, links worked on, N ≤ B: of links8 (default 100, quick 10) and links7 (1000, quick 10)
  BENCHMARK_SAMPLES           samples per operation and backend, 2 to 1000 (default 10, quick 6)
  BENCHMARK_WARMUP            seconds of warm-up before the samples of a run, 0 to 100 (default: links8 and links7 0.3,
                              the others 0.1; quick 0.05; full 1)

Results: report.html, report.md, charts/*.svg and *.png, and the raw samples as CSV.
EOF
}

# whole VALUE MIN MAX: whether it is a whole number in [MIN, MAX].
whole() {
  [[ $1 =~ ^(0|[1-9][0-9]{0,11})$ ]] && (($1 >= $2 && $1 <= $3))
}

# Fixed by the size; the variables override. LEFT_OUT: `WORKLOAD MODE`, `WORKLOAD OPERATION`, `WORKLOAD MODE OPERATION`, or
# `WORKLOAD BACKEND` or `WORKLOAD OPERATION BACKEND`, these as long as no backend is asked for by BENCHMARK_BACKEND.
options_defaults() {
  case $1 in
    quick)
      BACKGROUND=100 ACTIVE=10 SAMPLES=6 WARM_UP=0.05 SAMPLE_SECONDS=0.02 VISITS=1 TURNS=1 REPETITIONS=1 SHORT_WARM_UP=0.05 SHORT_SECONDS=0.02 LOAD_SECONDS=0.1
      TARGETS_LINKS=100000 HEAVY_SAMPLES=2 LOAD_SAMPLES=2 CLIENT_SECONDS=0.1 CORE_LINKS=1000000 CORE_ROUNDS=2
      BACKGROUND7=30 ACTIVE7=10 DEEP_LINKS=1000 LINKBENCH_LINKS=10000 TRANSACTIONS_KEPT=1000 AGED_SCALE=10 AGED_UPDATES=20000
      LEFT_OUT=('floors function' 'targets copy_bare' 'real wordnet' 'real native' 'scale n6' 'scale n7' 'contention c16' 'contention c32' 'checkout c16')
      ;;
    standard)
      BACKGROUND=1000 ACTIVE=100 SAMPLES=10 WARM_UP=0.3 SAMPLE_SECONDS=0.08 VISITS=6 TURNS=3 REPETITIONS=1 SHORT_WARM_UP=0.1 SHORT_SECONDS=0.04
      LOAD_SECONDS=0.4 TARGETS_LINKS=1000000 HEAVY_SAMPLES=3 LOAD_SAMPLES=5 CLIENT_SECONDS=0.3 CORE_LINKS=1000000 CORE_ROUNDS=5
      BACKGROUND7=3000 ACTIVE7=1000 DEEP_LINKS=10000 LINKBENCH_LINKS=1000000 TRANSACTIONS_KEPT=2000 AGED_SCALE=100
      AGED_UPDATES=200000
      LEFT_OUT=('scale n4' 'scale n7' 'contention c2' 'contention c4' 'contention c8' 'contention c16' 'contention c32 read' 'contention c32 hub' 'checkout c4'
        'checkout c16 quote' 'checkout r300 quote' 'checkout r900' 'linkbench c1' 'bulk histogram' 'bulk path' 'functions routing3' 'functions walk_many'
        'real wordnet top_hubs' 'real wordnet histogram')
      # Durability costs nothing where it is only read, and little beside a large statement or a wait for another client; where
      # each small write is committed, the durable table stays.
      LEFT_OUT+=('real native' 'bulk native' 'functions native' 'scale native' 'contention native' 'backends native'
        'aged native' 'targets insert_select native' 'targets copy native' 'targets full_scan native'
        'targets join_source native' 'targets cte3 native' 'targets outgoing native')
      ;;
    full)
      BACKGROUND=1000 ACTIVE=100 SAMPLES=20 WARM_UP=1 SAMPLE_SECONDS=0.2 VISITS=6 TURNS=6 REPETITIONS=5 SHORT_WARM_UP=1 SHORT_SECONDS=0.2 LOAD_SECONDS=2
      TARGETS_LINKS=1000000 HEAVY_SAMPLES=5 LOAD_SAMPLES=5 CLIENT_SECONDS=2 CORE_LINKS=1000000 CORE_ROUNDS=10
      BACKGROUND7=3000 ACTIVE7=1000 DEEP_LINKS=1000000 LINKBENCH_LINKS=1000000 TRANSACTIONS_KEPT=10000 AGED_SCALE=100
      AGED_UPDATES=1000000 LEFT_OUT=()
      ;;
    *) die "unknown size '$1' (quick, standard, full)" ;;
  esac
  # Enough for the last chunk to be small beside the store.
  MEMORY_LINKS=5000000
  SIZE=$1
}

# options_parse ARGUMENT…: sets VERB and every setting, or dies.
options_parse() {
  VERB=run SIZE='' REPORT_DIR='' COMPARE_DIR='' README='' SERVER=0 OUTPUT='' SEED=1 DATA_DIRECTORY=${TMPDIR:-/tmp} SETUP=1 WORKLOADS=() targets_links=''
  local words=()
  while (($#)); do
    case $1 in
      -h | --help) bench_usage; exit 0 ;;
      --no-setup) SETUP=0 ;;
      --server) SERVER=1 SETUP=0 ;;
      --workloads | --output | --readme | --seed | --targets-links | --data-directory)
        (($# >= 2)) || die "$1 needs a value"
        options_value "$1" "$2"
        shift
        ;;
      -*) die "unknown option '$1' (see --help)" ;;
      *) words+=("$1") ;;
    esac
    shift
  done
  options_words "${words[@]}"
  options_environment
}

options_value() {
  case $1 in
    --workloads) IFS=, read -r -a WORKLOADS <<<"$2" ;;
    --output) OUTPUT=$2 ;;
    --readme)
      [[ -f $2 ]] || die "--readme: '$2' is not a file"
      README=$(cd -- "$(dirname -- "$2")" && pwd)/$(basename -- "$2")
      ;;
    --seed) whole "$2" 0 999999999 || die "--seed: '$2' is not a whole number from 0 to 999999999"; SEED=$2 ;;
    --targets-links)
      if [[ $2 != *000 ]] || ! whole "$2" 10000 10000000; then
        die "--targets-links: '$2' is not a multiple of 1000 from 10000 to 10000000"
      fi
      targets_links=$2
      ;;
    --data-directory) [[ -d $2 ]] || die "--data-directory: '$2' is not a directory"; DATA_DIRECTORY=$2 ;;
  esac
}

options_words() {
  if (($#)); then
    VERB=$1
    shift
  fi
  [[ " ${BENCH_VERBS[*]} " == *" $VERB "* ]] || die "unknown verb '$VERB' (${BENCH_VERBS[*]})"
  case $VERB in
    run) SIZE=${1:-quick}; shift $(($# ? 1 : 0)) ;;
    report)
      (($#)) || die "report needs the directory of a result"
      [[ -d $1 ]] || die "report: '$1' is not a directory"
      REPORT_DIR=$(cd -- "$1" && pwd)
      shift
      ;;
    compare)
      (($# >= 2)) || die "compare needs the directories of two results"
      [[ -d $1 && -d $2 ]] || die "compare: '$1' or '$2' is not a directory"
      REPORT_DIR=$(cd -- "$1" && pwd)
      COMPARE_DIR=$(cd -- "$2" && pwd)
      shift 2
      ;;
  esac
  (($# == 0)) || die "unexpected argument '$1' (see --help)"
  options_defaults "${SIZE:-quick}"
  TARGETS_LINKS=${targets_links:-$TARGETS_LINKS}
  # Where the targets are judged, the samples of a client last long enough for it.
  [[ $SIZE != quick || $TARGETS_LINKS -lt 1000000 ]] || CLIENT_SECONDS=1
  local workload
  if ((${#WORKLOADS[@]} == 0)); then
    case $SIZE in
      quick) WORKLOADS=(floors links8 real targets) ;;
      standard) WORKLOADS=("${BENCH_WORKLOADS[@]:0:${#BENCH_WORKLOADS[@]}-3}") ;;
      full) WORKLOADS=("${BENCH_WORKLOADS[@]}") ;;
    esac
  fi
  for workload in "${WORKLOADS[@]}"; do
    [[ " ${BENCH_WORKLOADS[*]} " == *" $workload "* ]] || die "unknown workload '$workload' (${BENCH_WORKLOADS[*]})"
  done
  # A report has samples of statements, which these have not.
  [[ ! " ${WORKLOADS[*]} " =~ ^(\ (core|memory))+\ $ ]] || WORKLOADS=(floors "${WORKLOADS[@]}")
  # Somebody's server is not restarted.
  ((!SERVER)) || LEFT_OUT+=('scale restart')
  [[ -z $OUTPUT || ! -e $OUTPUT ]] || die "--output: '$OUTPUT' exists"
}

options_environment() {
  BACKGROUND=${BENCHMARK_BACKGROUND_LINKS:-$BACKGROUND}
  ACTIVE=${BENCHMARK_LINKS:-$ACTIVE}
  SAMPLES=${BENCHMARK_SAMPLES:-$SAMPLES}
  WARM_UP=${BENCHMARK_WARMUP:-$WARM_UP}
  SHORT_WARM_UP=${BENCHMARK_WARMUP:-$SHORT_WARM_UP}
  whole "$BACKGROUND" 1 1000000 ||
    die "BENCHMARK_BACKGROUND_LINKS: '$BACKGROUND' is not a whole number from 1 to 1000000"
  whole "$ACTIVE" 1 "$BACKGROUND" ||
    die "BENCHMARK_LINKS: '$ACTIVE' is not a whole number from 1 to BENCHMARK_BACKGROUND_LINKS ($BACKGROUND)"
  whole "$SAMPLES" 2 1000 || die "BENCHMARK_SAMPLES: '$SAMPLES' is not a whole number from 2 to 1000"
  [[ $WARM_UP =~ ^(100|[0-9]{1,2}(\.[0-9]{1,6})?)$ ]] ||
    die "BENCHMARK_WARMUP: '$WARM_UP' is not a number of seconds from 0 to 100"
  BACKGROUND7=${BENCHMARK_BACKGROUND_LINKS:-$BACKGROUND7}
  ACTIVE7=${BENCHMARK_LINKS:-$ACTIVE7}
  DEEP_LINKS=${BENCHMARK_BACKGROUND_LINKS:-$DEEP_LINKS}
  if [[ " ${WORKLOADS[*]} " == *" links7 "* ]]; then
    ((BACKGROUND7 >= 10 + (ACTIVE7 + 9) / 10)) ||
      die "links7 needs BENCHMARK_BACKGROUND_LINKS ($BACKGROUND7) ≥ 10 + BENCHMARK_LINKS ÷ 10 ($ACTIVE7 ÷ 10, rounded up)"
  fi
  if [[ " ${WORKLOADS[*]} " == *" deep "* ]]; then
    ((DEEP_LINKS >= 1000)) || die "deep needs BENCHMARK_BACKGROUND_LINKS ($DEEP_LINKS) ≥ 1000"
  fi
  options_backends "${BENCHMARK_BACKEND:-}"
}

# bench_backends [KIND]: names in order, of all or of one kind.
bench_backends() {
  awk -F, -v kind="${1:-}" 'NR > 1 && $4 != "server" && (kind == "" || $4 == kind) {print $2}' \
    "$BENCH_ROOT/backends/backends.csv"
}

# Sets BACKENDS, in the order of backends.csv. A single word may be a kind; in a list every word is a name.
options_backends() {
  local wanted=() name known
  case $1 in
    '' | all)
      mapfile -t wanted < <(bench_backends)
      # Only the full run has the design that differs from another in nothing but its durability.
      [[ $1 == all || $SIZE == full ]] || mapfile -t wanted < <(bench_backends | grep -vx native_covering)
      ;;
    native | doublets) mapfile -t wanted < <(bench_backends "$1") ;;
    *) IFS=, read -r -a wanted <<<"$1" ;;
  esac
  known=" $(bench_backends | paste -sd ' ') "
  for name in "${wanted[@]}"; do
    [[ $known == *" $name "* ]] || die "BENCHMARK_BACKEND: unknown backend '$name' (native, doublets, all, or of:$known)"
  done
  for name in ${1:+$known}; do
    mapfile -t LEFT_OUT < <(printf '%s\n' "${LEFT_OUT[@]}" | grep -vE " $name\$")
  done
  BACKENDS=()
  for name in $known; do
    [[ " ${wanted[*]} " != *" $name "* ]] || BACKENDS+=("$name")
  done
  ((${#BACKENDS[@]})) || die "BENCHMARK_BACKEND: no backend chosen"
}
