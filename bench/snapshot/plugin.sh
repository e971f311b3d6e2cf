#!/usr/bin/env bash
# usage: plugin.sh BUILD_TREE LLDB [COUNT...]
# What a snapshot from outside costs, live, beside one read of all memory that can be written, by
# the same function of LLDB. COUNT: blocks of a heap.
set -euo pipefail

[ $# -ge 2 ] || { sed -n 's/^# //; 2,4p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$1" && pwd)
lldb=$2
rounds=3
[ $# -le 2 ] && counts="100000 1000000" || counts="${*:3}"
for built in plugin/libloupe_plugin.so bench/libloupe_bench_reads.so bench/heap_snapshot; do
    [ -e "$tree/$built" ] || { echo "not run: $built is not built"; exit 0; }
done

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
. "$here/../in_lldb.sh"
measure_in_lldb "$tree" "$lldb" "$here/measure.py" \
    "loupe-measure-snapshot $tree/bench/heap_snapshot $rounds $counts"
