#!/usr/bin/env bash
# usage: tests/check_matrix.sh [CLANG...]
#
# The test runtime's own tests and the truth check of every fixture, compiled by each CLANG at -O0 and
# at -O2. Without arguments: by the oldest and the newest clang that is installed. Builds below
# build/matrix/ and exits non-zero if anything fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

installed_clangs() {
    local version
    for version in $(seq 14 40); do
        if command -v "clang-$version" >/dev/null && command -v "clang++-$version" >/dev/null; then
            echo "clang-$version"
        fi
    done
}

if [ $# -gt 0 ]; then
    clangs=("$@")
else
    mapfile -t all < <(installed_clangs)
    [ ${#all[@]} -gt 0 ] || { echo "no clang of version 14 or later" >&2; exit 1; }
    clangs=("${all[0]}")
    [ "${all[0]}" = "${all[-1]}" ] || clangs+=("${all[-1]}")
fi

failed=0
for clang in "${clangs[@]}"; do
    for optimize in -O0 -O2; do
        tree=build/matrix/$clang$optimize
        log=$tree.log
        mkdir -p "$tree"
        # CMake looks for the other compilers in PATH, but wants full paths for these two.
        if cmake -S . -B "$tree" -G Ninja -DCMAKE_OBJC_COMPILER="$(command -v "$clang")" \
                -DCMAKE_OBJCXX_COMPILER="$(command -v "${clang/clang/clang++}")" \
                -DLOUPE_OBJC_OPTIMIZE=$optimize >"$log" 2>&1 &&
            ninja -C "$tree" -j2 tests/runtime/all tests/fixtures/all >>"$log" 2>&1 &&
            ctest --test-dir "$tree" -L 'runtime|fixtures' -LE slow --output-on-failure --timeout 120 \
                >>"$log" 2>&1
        then
            echo "$clang $optimize: $(grep 'tests passed' "$log")"
        else
            failed=1
            echo "$clang $optimize: FAILED, see $log"
            grep -E 'error:|FAILED|\(Failed\)|tests passed' "$log" | head -20 || true
        fi
    done
done
exit $failed
