#!/usr/bin/env bash
# usage: demo.sh [--lldb LLDB] [--build DIRECTORY] [--interactive]
# Starts lldb on the photo browser and asks Loupe why its screens are still alive. With --interactive
# it stops at the first one and leaves you at the prompt.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lldb=lldb build=$here/../build interactive=
while [ $# -gt 0 ]; do
    case $1 in
    --lldb) lldb=$2; shift 2 ;;
    --build) build=$2; shift 2 ;;
    --interactive) interactive=yes; shift ;;
    *) sed -n 's/^# //; 2,4p' "$0" >&2; exit 2 ;;
    esac
done

export LOUPE_DEMO_PROGRAM=$build/examples/photo_browser
if [ -n "$interactive" ]; then
    exec "$lldb" --no-lldbinit -Q -o "command script import \"$here/demo.py\"" -o "loupe-demo first"
fi
exec "$lldb" --batch --no-lldbinit -Q \
    -o "command script import \"$here/demo.py\"" -o loupe-demo
