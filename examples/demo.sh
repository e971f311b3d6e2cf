#!/usr/bin/env bash
# usage: demo.sh [--lldb LLDB] [--build DIRECTORY] [--gnustep | --stall] [--interactive]
# Starts lldb on the photo browser and asks Loupe why its screens are still alive; with --gnustep, on
# a news reader that runs on GNUstep. With --interactive it stops at the first leak and leaves you at
# the prompt. With --stall, without lldb, it runs a program whose main thread hangs twice.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lldb=lldb build=$here/../build program=photo_browser interactive=
while [ $# -gt 0 ]; do
    case $1 in
    --lldb) lldb=$2; shift 2 ;;
    --build) build=$2; shift 2 ;;
    --gnustep) program=news_reader; shift ;;
    --stall) program=slow_library; shift ;;
    --interactive) interactive=yes; shift ;;
    *) sed -n 's/^# //; 2,5p' "$0" >&2; exit 2 ;;
    esac
done

if [ "$program" != photo_browser ] && [ ! -x "$build/examples/$program" ]; then
    echo "demo.sh: $program was not built: it needs GNUstep (libgnustep-base-dev, gobjc)" >&2
    exit 2
fi
if [ "$program" = slow_library ]; then
    exec env LOUPE_STALLS=0.4 LD_PRELOAD="$build/stacks/stalls/libloupe_stalls.so" "$build/examples/$program"
fi
export LOUPE_DEMO_PROGRAM=$build/examples/$program
if [ -n "$interactive" ]; then
    exec "$lldb" --no-lldbinit -Q -o "command script import \"$here/demo.py\"" -o "loupe-demo first"
fi
exec "$lldb" --batch --no-lldbinit -Q \
    -o "command script import \"$here/demo.py\"" -o loupe-demo
