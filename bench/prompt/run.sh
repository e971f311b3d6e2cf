#!/usr/bin/env bash
# usage: run.sh BUILD_TREE LLDB [CELLS]
# What a question costs at the prompt and in a breakpoint action, beside an empty call and an empty
# command in the same lldb; and what a session costs that asks nothing. CELLS: half of the hits.
set -euo pipefail

[ $# -ge 2 ] || { sed -n 's/^# //; 2,4p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$1" && pwd)
lldb=$2

ask() {
    env LOUPE_PLUGIN="$tree/plugin/libloupe_plugin.so" LOUPE_HELPER="$tree/helper/libloupe_helper.so" \
        LOUPE_TOOL="$tree/cli/loupe" "${@:2}" \
        "$lldb" --batch --no-lldbinit --source-quietly \
        -o "command script import \"$here/../../lldb_commands\"" \
        -o "command script import \"$here/measure.py\"" -o "$1" |
        grep -E ' ms |[0-9]x$' || true
}

ask "loupe-measure-prompt $tree/tests/fixtures/view_controller"
ask "loupe-measure-pipe-prompt $tree/tests/fixtures/view_controller" LOUPE_PLUGIN=/nowhere LOUPE_ANSWERS=/nowhere
ask "loupe-measure-hits $tree/tests/lldb/programs/cells ${3:-}"
python3 -B "$here/start.py" "$lldb" "$here/../../lldb_commands"
