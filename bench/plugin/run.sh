#!/usr/bin/env bash
# usage: run.sh BUILD_TREE LLDB [ROUNDS [COUNT...]]
# What a walk from outside costs, live and on a core, beside one read of the whole heap and beside
# one read for each word. COUNT: nodes of a heap.
set -euo pipefail

[ $# -ge 2 ] || { sed -n 's/^# //; 2,4p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$1" && pwd)
lldb=$2
rounds=${3:-3}
[ $# -le 3 ] && counts="10000 100000" || counts="${*:4}"
for built in plugin/libloupe_plugin.so bench/libloupe_bench_reads.so bench/plugin_heap; do
    [ -e "$tree/$built" ] || { echo "$tree/$built is not built (LOUPE_BUILD_BENCH)" >&2; exit 2; }
done

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
# lldb echoes its commands and tells of every stop; the lines of the table start with a blank.
if ! "$lldb" --batch --no-lldbinit --source-quietly \
    -o "plugin load \"$tree/plugin/libloupe_plugin.so\"" \
    -o "plugin load \"$tree/bench/libloupe_bench_reads.so\"" \
    -o "command script import \"$here/measure.py\"" \
    -o "loupe-measure-walk $tree/bench/plugin_heap $work/core $rounds $counts" \
    2>"$work/errors" | tee "$work/output" | sed -n '/^ /p'; then
    tail -n 20 "$work/output" "$work/errors" >&2
    exit 1
fi
# Not every lldb fails where its command did.
if [ -s "$work/errors" ] && grep -q '^error' "$work/errors"; then
    cat "$work/errors" >&2
    exit 1
fi
