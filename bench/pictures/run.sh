#!/usr/bin/env bash
# usage: run.sh BUILD_TREE [OBJECTS]
# What it costs to write a snapshot of 10^6 objects (or so many) as a page, a heap dump and a
# database, beside cp of the dump and sqlite3's .import of the same rows. Needs gdb and sqlite3.
set -euo pipefail

[ $# -ge 1 ] || { sed -n 's/^# //; 2,4p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$1" && pwd)
objects=${2:-1000000}
for tool in gdb sqlite3; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 0; }
done
[ -x "$tree/bench/plugin_heap" ] || { echo "not built: plugin_heap (LOUPE_BUILD_BENCH)"; exit 0; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
gdb --quiet --batch --nx -ex 'break bench_heap_ready' -ex "run $objects" \
    -ex "gcore $folder/core" -ex kill "$tree/bench/plugin_heap" >"$folder/gdb.log" 2>&1 ||
    { tail -n 5 "$folder/gdb.log" >&2; exit 1; }
"$tree/cli/loupe" snapshot "$folder/core" "$folder/heap.loupe" >/dev/null
python3 "$here/measure.py" "$tree/cli/loupe" "$folder"
python3 "$here/open_page.py" "$folder/out.html"
