#!/usr/bin/env bash
# usage: tests/runtime/check_memory.sh
#
# The test runtime's checks and all fixtures under AddressSanitizer and UBSan, by the newest clang
# that is installed, and under valgrind. Leaks are looked for in the runtime's checks only: those of
# the fixtures are their purpose. Builds below build/memory/ and exits non-zero if anything fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for version in $(seq 40 -1 14); do
    command -v "clang++-$version" >/dev/null && break
done
clang=clang-$version

failed=0

build() { # build <tree> <cmake option>...
    local tree=$1
    shift
    mkdir -p "$tree"
    cmake -S . -B "$tree" -G Ninja -DCMAKE_OBJC_COMPILER="$(command -v "$clang")" \
        -DCMAKE_OBJCXX_COMPILER="$(command -v "${clang/clang/clang++}")" "$@" >"$tree.log" 2>&1 &&
        ninja -C "$tree" -j2 tests/runtime/all tests/fixtures/all >>"$tree.log" 2>&1
}

report() { # report <what> <status> <log>
    if [ "$2" = 0 ]; then
        echo "$1: passed"
    else
        failed=1
        echo "$1: FAILED, see $3"
        tail -20 "$3"
    fi
}

sanitized=build/memory/sanitized
status=0
build $sanitized -DLOUPE_SANITIZE=ON || status=1
[ $status = 0 ] && ctest --test-dir $sanitized -L 'runtime|fixtures' -LE slow --output-on-failure \
    --timeout 120 >>$sanitized.log 2>&1 || status=1
report "$clang, sanitizers" $status $sanitized.log

if ! command -v valgrind >/dev/null; then
    echo "valgrind: skipped, not installed"
    exit $failed
fi
tree=build/memory/valgrind
status=0
# Version 3.19 does not read the debug information that new compilers write by default.
build $tree -DCMAKE_C_FLAGS=-gdwarf-4 -DCMAKE_OBJC_FLAGS=-gdwarf-4 -DCMAKE_OBJCXX_FLAGS=-gdwarf-4 ||
    status=1
report "valgrind, build" $status $tree.log
for program in $tree/tests/runtime/runtime_* $tree/tests/fixtures/*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    leaks=no
    case $program in */runtime_*) leaks=full ;; esac
    status=0
    valgrind -q --error-exitcode=9 --leak-check=$leaks --show-leak-kinds=definite \
        --errors-for-leak-kinds=definite --suppressions=tests/runtime/valgrind.supp "$program" >$tree.run.log 2>&1 || status=1
    [ $status = 0 ] || report "valgrind, $(basename "$program")" $status $tree.run.log
done
[ $failed = 0 ] && echo "valgrind: passed"
exit $failed
