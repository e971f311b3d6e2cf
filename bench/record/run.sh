#!/usr/bin/env bash
# usage: run.sh BUILD_TREE [ROUNDS]
# What recording costs: a program that allocates and frees from stacks of 16 frames, alone, with
# libloupe_record and with heaptrack's preload (apt install heaptrack), one after the other, ROUNDS
# times (3). The fastest of each counts. Wanted: at most 2.5 times, 24 bytes a live block.
set -euo pipefail

[ $# -ge 1 ] || { sed -n 's/^# //; 2,5p' "$0" >&2; exit 2; }
tree=$(cd "$1" && pwd)
rounds=${2:-3}
program=$tree/bench/record
recorder=$tree/record/libloupe_record.so
heaptrack=$(ls /usr/lib/heaptrack/libheaptrack_preload.so /usr/lib/*/heaptrack/libheaptrack_preload.so \
    2>/dev/null | head -n 1 || true)
data=$(mktemp)
trap 'rm -f "$data"' EXIT

# best LIBRARY STEPS LIVE: nanoseconds and bytes of the fastest run
best() {
    for _ in $(seq "$rounds"); do
        LD_PRELOAD=$1 DUMP_HEAPTRACK_OUTPUT=$data "$program" "$2" 16 "$3"
    done | sort -n | head -n 1
}

printf '%10s %8s %16s %16s %14s\n' "live" "alone" "libloupe_record" "heaptrack" "bytes a block"
for live in 1000 100000 1000000; do
    read -r alone bytes_alone < <(best "" 4 "$live")
    read -r recorded bytes_recorded < <(best "$recorder" 4 "$live")
    other=-
    [ -z "$heaptrack" ] || read -r other _ < <(best "$heaptrack" 1 "$live")
    awk -v live="$live" -v alone="$alone" -v recorded="$recorded" -v other="$other" \
        -v bytes="$((bytes_recorded - bytes_alone))" 'BEGIN {
        printf "%10d %5.0f ns %8.0f ns %.1fx", live, alone, recorded, recorded / alone
        if (other == "-") printf " %16s", "not installed"
        else printf " %8.0f ns %.1fx", other, other / alone
        printf " %14.1f\n", bytes / live }'
done
echo "bytes a block: of all that the recorder holds, stacks and 1 MB that it begins with too"
