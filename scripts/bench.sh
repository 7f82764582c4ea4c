#!/usr/bin/env bash
# The benchmark: the same SQL on native tables and on doublets stores inside one server. `--help` says how.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=lib/common.bash
source "$root/scripts/lib/common.bash"
# shellcheck source-path=SCRIPTDIR source=lib/setup.bash
source "$root/scripts/lib/setup.bash"
# shellcheck source-path=SCRIPTDIR source=lib/cluster.bash
source "$root/scripts/lib/cluster.bash"
for library in options session server statements generate debian wordnet core memory measure generic clients restart workloads provenance conformance report driver; do
  # shellcheck source=/dev/null
  source "$root/bench/lib/$library.bash"
done

bench_main "$@"
