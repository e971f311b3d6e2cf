#!/usr/bin/env bash
# usage: check_matrix.sh [--quick] BUILD_TREE [VERSION...]
# The tests of the commands in several versions of lldb, with the same build: 14, 16, 19 and 22 unless
# told. One that is not installed is unpacked into the build tree, if apt has it. Exits with 77 if
# no version could be had. With --quick a few only, each of which touches another part of LLDB's own
# interface: sessions, expressions, types, completion, formatters; and a share of the fixtures.
set -euo pipefail

quick=
[ "${1:-}" != --quick ] || { quick=1; shift; }
[ $# -ge 1 ] || { sed -n 's/^# //; 2p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- 14 16 19 22

# An installed one without its Python module cannot be scripted.
can_script() { "$1" -b --no-lldbinit -o 'script print(6 * 7)' 2>/dev/null | grep -qx 42; }

debugger() {
    local unpacked=$tree/lldb-$1/lldb-$1 installed
    installed=$(command -v "lldb-$1") && can_script "$installed" && { echo "$installed"; return; }
    [ -x "$unpacked" ] || "$here/unpack_lldb.sh" "$1" "$tree/lldb-$1" >"$tree/unpack-lldb.log" 2>&1
    can_script "$unpacked" && echo "$unpacked"
}

is_wanted() {
    case ${1##*/} in
    test_fixtures.py) false ;;    # by engine, below
    test_first_fixes.py) false ;; # of the advice, whichever LLDB follows it
    test_completion.py | test_formatters.py | test_injection.py | test_no_debug_info.py | \
        test_python_host.py | test_sessions.py) ;;
    *) [ -z "$quick" ] ;;
    esac
}

run() {
    local log=$tree/lldb-$version-test.log
    if (cd "$here/live" && PYTHONPATH=$here/live LOUPE_TEST_LLDB=$lldb LOUPE_TEST_BUILD=$tree \
            timeout 1800 python3 -B "$@") >"$log" 2>&1; then
        echo "lldb $version: $*: passed"
    else
        failed=1
        echo "lldb $version: $*: FAILED"
        tail -n 40 "$log"
    fi
}

failed=0 tried=0
for version in "$@"; do
    lldb=$(debugger "$version") || { echo "lldb $version: not installed, and not had by apt"; continue; }
    tried=1
    run answers/test_fixtures.py ${quick:+share} memory
    [ -n "$quick" ] || run answers/test_fixtures.py helper
    for test in "$here"/live/*/test_*.py; do
        ! is_wanted "$test" || run "${test#"$here/live/"}"
    done
    if [ -z "$quick" ] && [ -e "$tree/tests/box/fixtures/view_controller" ]; then
        LOUPE_BOX=$tree/tests/box \
            LOUPE_BOX_HELPER=$tree/tests/box/product/helper/libloupe_helper.dylib \
            run ../../box/test_lldb.py
    fi
done
[ "$tried" = 1 ] || exit 77
exit $failed
