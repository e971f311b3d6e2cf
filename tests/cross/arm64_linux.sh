#!/usr/bin/env bash
# usage: tests/cross/arm64_linux.sh LABEL FOLDER...
#
# The tests with a label (a regular expression) below folders of tests/, for arm64 Linux. Built below
# build/arm64/ and run by qemu; exits with 77 (skipped) where there is no cross compiler or no qemu.
# Left out is what debugs or stops another process, which qemu's user mode does not play, and what runs
# programs by scripts of its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
command -v qemu-aarch64 >/dev/null || command -v qemu-aarch64-static >/dev/null ||
    { echo "skipped: neither qemu-aarch64 nor qemu-aarch64-static"; exit 77; }

# What asks other processes, or the host's Python; the emulator has threads of its own in each program.
readonly others='lldb|readers|pictures|heap|examples|testing|stacks\.stop'
# Damage of every kind in turn, ten times as slow as it is here, and the same on each machine.
readonly too_long='unit\.(damaged_blocks|hostile|session)'
# What the emulator plays otherwise, or not at all: its threads and pages are told among those of the program
# (self_reader; questions, where 3 of 81 checks ask), and there is no seccomp (confined). garbage was not
# seen to its end.
readonly played_otherwise='helper\.(self_reader|confined|garbage|questions)'
readonly not_here="^($others|$too_long|$played_otherwise)"

label=$1
shift
tree=build/arm64
log=$tree-${label%%|*}.log
mkdir -p $tree
if cmake -S . -B $tree -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/tests/cross/arm64_linux.cmake" \
        -DLOUPE_WERROR=ON >"$log" 2>&1 &&
    ninja -C $tree -j2 "${@/%//all}" >>"$log" 2>&1 &&
    ctest --test-dir $tree -L "$label" -LE 'slow|lldb|tree' -E "$not_here" --output-on-failure \
        >>"$log" 2>&1
then
    echo "arm64 Linux: $(grep 'tests passed' "$log")"
else
    echo "arm64 Linux: FAILED, see $log"
    grep -E 'error:|FAILED|\(Failed\)|tests passed' "$log" | head -20
    exit 1
fi
