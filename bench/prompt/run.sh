#!/usr/bin/env bash
# usage: run.sh BUILD_TREE LLDB
# What a question costs at the prompt and in a breakpoint action, beside an empty call and an empty
# command in the same lldb; and what a session costs that asks nothing.
set -euo pipefail

[ $# -eq 2 ] || { sed -n 's/^# //; 2,4p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$1" && pwd)
lldb=$2

ask() {
    env LOUPE_PLUGIN="$tree/plugin/libloupe_plugin.so" LOUPE_HELPER="$tree/helper/libloupe_helper.so" \
        "$lldb" --batch --no-lldbinit --source-quietly \
        -o "command script import \"$here/../../lldb_commands\"" \
        -o "command script import \"$here/measure.py\"" -o "$1" |
        grep -E ' (ms|seconds) |[0-9]x$' || true
}

ask "loupe-measure-prompt $tree/tests/fixtures/view_controller"
ask "loupe-measure-hits $tree/tests/lldb/programs/cells"
python3 -B "$here/start.py" "$lldb" "$here/../../lldb_commands"
