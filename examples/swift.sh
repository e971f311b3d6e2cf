#!/usr/bin/env bash
# usage: swift.sh [--build DIRECTORY]
# Runs a program of Swift that leaks a screen and a task, asks Loupe about it; then the same repaired.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$here/../build
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    *) sed -n 's/^# //; 2,3p' "$0" >&2; exit 2 ;;
    esac
done

ask() { # ARGUMENT...
    echo "$ ./swift_feed $* & loupe leaks \$!"
    coproc program { exec "$build/examples/swift_feed" "$@"; }
    local pid=$program_PID input=${program[1]} status=0
    read -r _ <&"${program[0]}" || { echo "swift.sh: the program has ended" >&2; exit 2; }
    "$build/cli/loupe" leaks "$pid" || status=$?
    exec {input}>&-
    wait "$pid" || true
    [ "$status" -le 1 ] || exit "$status"
}

ask
echo
ask --repaired
