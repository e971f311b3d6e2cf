#!/usr/bin/env bash
# usage: run.sh BUILD_TREE [OBJECTS...]
# What heap dumps cost, on dumps that a Java virtual machine makes here: tangled ones of so many
# objects (100000, 1000000 and 5000000), a list and a ladder of 200000; and, where VisualVM is
# installed, what its library needs for each of the tangled ones: minutes for the largest.
set -euo pipefail

[ $# -ge 1 ] || { sed -n 's/^# //; 2,5p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bench=$(cd "$1" && pwd)/bench/heap_dumps
shift
[ $# -gt 0 ] || set -- 100000 1000000 5000000
command -v javac >/dev/null || { echo "skipped: there is no javac"; exit 0; }
library=/usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
javac -d "$folder" "$here/Heaps.java"
dump() { java -Xmx8g -cp "$folder" Heaps "$1" "$2" "$folder/$1_$2.hprof"; }
for objects in "$@"; do dump tangled "$objects"; done
dump deep 200000
dump ladder 200000
"$bench" "$folder"/*.hprof

echo
if [ ! -e "$library" ]; then
    echo "VisualVM: not installed"
    exit 0
fi
javac -d "$folder" -cp "$library" "$here/VisualVm.java"
TIMEFORMAT='processor %U'
for objects in "$@"; do
    echo "VisualVM on tangled_$objects, seconds of the wall clock by phase, then of the processor:"
    time java -XX:+UseSerialGC -Xmx6g -cp "$folder:$library" VisualVm \
        "$folder/tangled_$objects.hprof"
done
