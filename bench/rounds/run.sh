#!/usr/bin/env bash
# usage: run.sh BUILD_TREE LLDB [LENGTH...]
# What rings cost whose links stand in C++ members, which only debug info tells of, beside rings of
# plain ivars.
set -euo pipefail

[ $# -ge 2 ] || { sed -n 's/^# //; 2,4p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$1" && pwd)
lldb=$2
shift 2

env LOUPE_PLUGIN="$tree/plugin/libloupe_plugin.so" LOUPE_HELPER="$tree/helper/libloupe_helper.so" \
    "$lldb" --batch --no-lldbinit --source-quietly \
    -o "command script import \"$here/../../lldb_commands\"" \
    -o "command script import \"$here/measure.py\"" \
    -o "loupe-measure-rounds $tree/tests/lldb/programs/links ${*:-100 1000 10000}" |
    grep -E '^ *(length|[0-9]+) ' || true
