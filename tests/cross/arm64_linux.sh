#!/usr/bin/env bash
# usage: tests/cross/arm64_linux.sh
#
# The test runtime's checks and all fixtures for the other architecture: its message dispatch, its
# isa words and tagged pointers, its calling convention. Built below build/aarch64/ and run by qemu;
# exits with 77 (skipped) where there is no cross compiler or no qemu.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done

tree=build/aarch64
log=$tree.log
mkdir -p $tree
if cmake -S . -B $tree -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/tests/cross/arm64_linux.cmake" \
        >$log 2>&1 &&
    ninja -C $tree -j2 tests/runtime/all tests/fixtures/all >>$log 2>&1 &&
    ctest --test-dir $tree -L 'runtime|fixtures' -LE slow --output-on-failure --timeout 120 \
        >>$log 2>&1
then
    echo "aarch64: $(grep 'tests passed' $log)"
else
    echo "aarch64: FAILED, see $log"
    grep -E 'error:|FAILED|\(Failed\)|tests passed' $log | head -20
    exit 1
fi
