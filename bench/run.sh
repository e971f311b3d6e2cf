#!/usr/bin/env bash
# usage: run.sh BUILD_TREE LLDB
# Every benchmark of a build tree (LOUPE_BUILD_BENCH=ON, Release), with sizes that end in a few
# minutes. Each has larger ones: graph [LARGEST], helper_walk [COUNT...], plugin/run.sh.
set -euo pipefail

[ $# -eq 2 ] || { sed -n 's/^# //; 2,4p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$1" && pwd)
lldb=$2

title() { printf '\n== %s\n\n' "$*"; }

title "graph: building and analysing, 10^4 to 10^6 objects"
"$tree/bench/graph" 1000000

title "helper: a walk inside the process, beside a collector's mark"
if [ -x "$tree/bench/helper_walk" ]; then
    "$tree/bench/helper_walk" 10000 100000
else
    echo "not built: it needs libgc"
fi

title "plugin: a walk from outside, beside plain reads of the same memory"
"$here/plugin/run.sh" "$tree" "$lldb"

title "prompt: what a question costs beside an empty call"
"$here/prompt/run.sh" "$tree" "$lldb"

title "heap dumps: reading, paths and owners, beside VisualVM's library"
"$here/heap_dumps/run.sh" "$tree"
