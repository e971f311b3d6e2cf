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

title "blocks: those of a heap of 10^6, beside a plain read of the same memory"
if [ -x "$tree/bench/blocks" ]; then "$tree/bench/blocks"; else echo "not built: it needs Linux"; fi

# walk PROGRAM WHY_IT_MAY_BE_MISSING COUNT...
walk() {
    if [ -x "$tree/bench/$1" ]; then
        "$tree/bench/$1" "${@:3}"
    else
        echo "not built: $2"
    fi
}

needed="it needs clang's Objective-C and libgc"
on_libobjc2="$needed, libobjc2 (LOUPE_LIBOBJC2) and lld"
on_gcc="$needed, and a GNUstep on GCC's runtime"
title "watch: a call that is intercepted, and 10^5 watched objects"
walk watch_objects "it needs clang's Objective-C" "$here/watch/watch.loupe-rules"
title "watch: the same on GCC's runtime, where deaths are told by -dealloc"
walk watch_objects_gcc "it needs a GNUstep on GCC's runtime" "$here/watch/watch.loupe-rules"
title "helper: a walk inside the process, beside a collector's mark; Apple's layouts"
walk helper_walk "$needed" 10000 100000
title "helper: the same objects on libobjc2"
walk helper_walk_libobjc2 "$on_libobjc2" 10000 100000
title "helper: the same objects on GCC's runtime"
walk helper_walk_gcc "$on_gcc" 10000 100000
title "helper: a snapshot of the whole heap, beside a collector's mark; GCC's runtime"
walk heap_snapshot "it needs libgc, and a GNUstep on GCC's runtime" 100000
walk heap_snapshot "it needs libgc, and a GNUstep on GCC's runtime" 1000000
# leaks_of_core PROGRAM ARGUMENT...: which prints its number and waits
leaks_of_core() {
    if [ ! -x "$tree/bench/$1" ] || ! command -v gcore >/dev/null; then
        echo "not run: it needs $1, and gcore"
        return
    fi
    local cores waiting
    cores=$(mktemp -d)
    "$tree/bench/$1" "${@:2}" >"$cores/pid" &
    waiting=$!
    while [ ! -s "$cores/pid" ]; do sleep 0.2; done
    gcore -o "$cores/core" "$waiting" >/dev/null 2>&1
    kill "$waiting"
    "$tree/bench/snapshot_of_core" "$cores/core.$waiting"
    rm -r "$cores"
}
title "terminal: a core of 10^6 malloc blocks, until its leaks are known (13,277 were dropped)"
leaks_of_core leaking_blocks 1000000
title "terminal: a core of 10^6 blocks, half of them objects, until its leaks are known"
leaks_of_core heap_snapshot 1000000 wait
title "plugin: a snapshot of a live process, beside one read of the same memory"
"$here/snapshot/plugin.sh" "$tree" "$lldb" 100000 1000000
title "helper: collections of a Foundation; Apple's layouts"
walk helper_collections "$needed" 1250 12500
title "helper: the same collections on GNUstep, libobjc2"
walk helper_collections_libobjc2 "$on_libobjc2, and a gnustep-base for it (LOUPE_GNUSTEP2)" 1250 12500
title "helper: the same collections on GNUstep, GCC's runtime"
walk helper_collections_gcc "$on_gcc" 1250 12500

title "plugin: a walk from outside, beside plain reads of the same memory"
"$here/plugin/run.sh" "$tree" "$lldb"

title "prompt: what a question costs beside an empty call"
"$here/prompt/run.sh" "$tree" "$lldb"

title "rounds: rings that only debug info tells of, beside plain ones"
"$here/rounds/run.sh" "$tree" "$lldb" 100 1000

title "heap dumps: reading, paths and owners, beside VisualVM's library"
"$here/heap_dumps/run.sh" "$tree"

title "pictures: snapshots as pages, heap dumps and databases, beside sqlite3's .import"
"$here/pictures/run.sh" "$tree"

title "stacks: 30 frames from inside, beside execinfo's backtrace()"
"$tree/bench/stacks/stacks"

title "record: allocating with a recorder, beside heaptrack"
"$here/record/run.sh" "$tree"
