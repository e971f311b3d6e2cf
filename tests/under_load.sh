#!/usr/bin/env bash
# usage: under_load.sh [ROUNDS [CTEST_OPTION...]]
# The tests of a commit, which ./run test has built, beside sixteen processes that never rest: three rounds
# unless told. What fails here waits for a moment, or compares two moments. With options of ctest those that
# they choose in build/ alone. CTEST_PARALLEL_LEVEL=N has N tests run at a time: more load, and less to wait.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rounds=${1:-3}
[ $# -eq 0 ] || shift
busy=()
trap 'kill "${busy[@]}"' EXIT
for _ in {1..16}; do
    while :; do :; done &
    busy+=($!)
done

# A share of what is drawn by the thousand, as ./run test has it.
export LOUPE_TEST_SHARE=${LOUPE_TEST_SHARE-8} LOUPE_MAX_PAUSE=0
tests() {
    local tree=$1
    shift
    ctest --test-dir "$tree" --output-on-failure -j "${CTEST_PARALLEL_LEVEL:-$(getconf _NPROCESSORS_ONLN)}" "$@"
}

for round in $(seq "$rounds"); do
    echo "round $round of $rounds"
    if [ $# -gt 0 ]; then
        tests build -LE slow "$@"
    else
        tests build/sanitized -LE slow -L 'unit|hostile|sanitized'
        tests build -LE 'slow|unit|hostile'
    fi
done
