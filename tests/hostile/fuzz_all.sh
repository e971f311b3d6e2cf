#!/usr/bin/env bash
# usage: fuzz_all.sh DIRECTORY SECONDS
# Runs every fuzzer built in DIRECTORY (fuzz_NAME, with its seeds in corpus/NAME) for SECONDS, one
# after the other. What a fuzzer grew its seeds into stays in DIRECTORY/grown/NAME for the next run.
# Stops at the first finding, says where its input lies, and exits with 1.
set -euo pipefail

[ $# -eq 2 ] || { sed -n 's/^# //; 2,5p' "$0" >&2; exit 2; }
directory=$(cd "$1" && pwd)
seconds=$2

# From libFuzzer's report at its end.
statistic() { sed -n "s/^stat::$1: *//p" "$log"; }

# The longest input that NAME is tried with: a wrong size of an encoding showed in longer ones alone.
longest_input() { [ "$1" = encoding ] && echo 16384 || echo 4096; }

run_fuzzer() {
    local name=$1 started=$SECONDS
    local grown=$directory/grown/$name finding=$directory/finding-$name- log=$directory/$name.log
    mkdir -p "$grown"
    if ! "$directory/fuzz_$name" -max_total_time="$seconds" -max_len="$(longest_input "$name")" -timeout=10 \
        -print_final_stats=1 -artifact_prefix="$finding" "$grown" "$directory/corpus/$name" \
        >"$log" 2>&1; then
        tail -n 40 "$log"
        echo "$name: a finding after $((SECONDS - started)) s; $log, $finding*" >&2
        return 1
    fi
    printf '%-16s%14s%9s%14s\n' "$name" "$(statistic number_of_executed_units)" \
        "$((SECONDS - started))" "$(statistic average_exec_per_sec)"
}

fuzzers=()
for program in "$directory"/fuzz_*; do
    [ -f "$program" ] && [ -x "$program" ] && fuzzers+=("${program##*/fuzz_}")
done
[ ${#fuzzers[@]} -gt 0 ] || { echo "no fuzzers in $directory" >&2; exit 2; }

printf '%-16s%14s%9s%14s\n' fuzzer executions seconds "per second"
for name in "${fuzzers[@]}"; do
    run_fuzzer "$name"
done
