#!/usr/bin/env bash
# usage: tests/cross/arm64_linux.sh LABEL TARGET...
#
# The tests with a label (a regular expression), for arm64 Linux; the targets are what they take. Built below
# build/arm64/ and run by qemu; exits with 77 (skipped) where there is no cross compiler or no qemu.
# Left out is what debugs or stops another process, which qemu's user mode does not play, and what runs
# programs by scripts of its own. What else it plays otherwise the tests themselves find out, and say
# (tests/support/emulated.h).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
command -v qemu-aarch64 >/dev/null || command -v qemu-aarch64-static >/dev/null ||
    { echo "skipped: neither qemu-aarch64 nor qemu-aarch64-static"; exit 77; }

# What asks other processes, or the host's Python; the emulator has threads of its own in each program.
readonly others='lldb|readers|pictures|heap|examples|testing|stacks\.stop'

label=$1
shift
# What is built for a Mac has labels of what it is about, too.
not_here="^($others"
[ "$label" = box ] || not_here+='|box'
tree=build/arm64
log=$tree-${label%%|*}.log
# Of damage of every kind, and of what is drawn by the thousand: ten times as slow as it is here, and the
# same on each machine.
export LOUPE_TEST_SHARE=${LOUPE_TEST_SHARE:-16}
mkdir -p $tree
if cmake -S . -B $tree -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/tests/cross/arm64_linux.cmake" \
        -DLOUPE_WERROR=ON >"$log" 2>&1 &&
    ninja -C $tree -j2 "$@" >>"$log" 2>&1 &&
    ctest --test-dir $tree -L "$label" -LE 'slow|lldb|tree' -E "$not_here)" --output-on-failure \
        >>"$log" 2>&1
then
    echo "arm64 Linux: $(grep 'tests passed' "$log")"
else
    echo "arm64 Linux: FAILED, see $log"
    grep -E 'error:|FAILED|\(Failed\)|tests passed' "$log" | head -20
    exit 1
fi
