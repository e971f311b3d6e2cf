#!/usr/bin/env bash
# usage: run.sh BUILD_TREE LLDB [ROUNDS [COUNT...]]
# What a walk from outside costs, live and on a core, beside one read of the whole heap and beside
# one read for each word; questions by the terminal tool beside those by the plugin; and leaks of a core
# by both. COUNT: nodes of a heap.
set -euo pipefail

[ $# -ge 2 ] || { sed -n 's/^# //; 2,5p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$1" && pwd)
lldb=$2
rounds=${3:-3}
[ $# -le 3 ] && counts="10000 100000" || counts="${*:4}"
for built in cli/loupe plugin/libloupe_plugin.so bench/libloupe_bench_reads.so bench/plugin_heap; do
    [ -e "$tree/$built" ] || { echo "$tree/$built is not built (LOUPE_BUILD_BENCH)" >&2; exit 2; }
done

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
. "$here/../in_lldb.sh"
measure_in_lldb "$tree" "$lldb" "$here/measure.py" \
    "loupe-measure-walk $tree/bench/plugin_heap $work/core $rounds $counts"
echo
LOUPE_TOOL=$tree/cli/loupe measure_in_lldb "$tree" "$lldb" "$here/measure_pipe.py" \
    "loupe-measure-pipe $tree/bench/plugin_heap $rounds $counts"
echo
set -- $counts
largest=${!#}
gdb -nx -batch -ex "break bench_heap_ready" -ex "run $largest" -ex "gcore $work/core" -ex kill \
    "$tree/bench/plugin_heap" >"$work/gdb" 2>&1 || { cat "$work/gdb" >&2; exit 1; }
measure_in_lldb "$tree" "$lldb" "$here/measure_core.py" \
    "loupe-measure-core $tree/cli/loupe $tree/bench/plugin_heap $work/core $rounds"
