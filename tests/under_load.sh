#!/usr/bin/env bash
# usage: under_load.sh [ROUNDS [CTEST_OPTION...]]
# The tests of build/, beside sixteen processes that never rest: three rounds unless told. What fails
# here waits for a moment, or compares two moments.
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
for round in $(seq "$rounds"); do
    echo "round $round of $rounds"
    LOUPE_MAX_PAUSE=0 ctest --test-dir build --output-on-failure -j "$(getconf _NPROCESSORS_ONLN)" \
        -LE slow "$@"
done
