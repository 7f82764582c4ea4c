#!/usr/bin/env bash
# What versions cost: runs core_benchmark with and without them in turns and prints the medians.
# usage: versions.sh VERSIONED UNVERSIONED [TURNS [LINKS]]
set -euo pipefail

declare -A program=([versioned]=$1 [unversioned]=$2)
turns=${3:-5} links=${4:-1000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for ((turn = 0; turn < turns; ++turn)); do
  for kind in versioned unversioned; do
    "${program[$kind]}" --csv="$work/$turn.csv" --links="$links" --nodes=$((links / 10)) --rounds=1 --directory="$work" \
      >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    tail -n +2 "$work/$turn.csv" | sed "s/^/$kind,/" >>"$work/all"
  done
done

printf '%-8s %-10s %14s %14s %10s %8s\n' layout operation 'versioned, ns' 'without, ns' difference ratio
for layout in split united; do
  while read -r operation; do
    median=()
    for kind in versioned unversioned; do
      median+=("$(grep "^$kind,$operation,$layout," "$work/all" | cut -d , -f 5 | sort -g |
        awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }')")
    done
    awk -v l="$layout" -v o="$operation" -v a="${median[0]}" -v b="${median[1]}" \
      'BEGIN { printf "%-8s %-10s %14.1f %14.1f %10.1f %8.3f\n", l, o, a, b, a - b, a / b }'
  done < <(cut -d , -f 2 "$work/all" | awk '!seen[$0]++')
done
