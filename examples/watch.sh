#!/usr/bin/env bash
# usage: watch.sh [--build DIRECTORY]
# Runs a program that leaks a screen without a debugger, watched by Loupe; then the same repaired.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$here/../build
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    *) sed -n 's/^# //; 2,3p' "$0" >&2; exit 2 ;;
    esac
done

watched() {
    case $(uname -s) in
    Darwin) set -- DYLD_INSERT_LIBRARIES="$build/watch/libloupe_watch.dylib" "$@" ;;
    *) set -- LD_PRELOAD="$build/watch/libloupe_watch.so" "$@" ;;
    esac
    env LOUPE_WATCH="$here/album/album.loupe-rules" "$@"
}

echo "$ LD_PRELOAD=libloupe_watch.so LOUPE_WATCH=album.loupe-rules ./album"
watched "$build/examples/album"
echo
echo "$ LD_PRELOAD=libloupe_watch.so LOUPE_WATCH=album.loupe-rules ./album --repaired"
watched "$build/examples/album" --repaired
