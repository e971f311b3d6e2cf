#!/usr/bin/env bash
# usage: build_programs.sh CLANG LLD DSYMUTIL OUTPUT_FOLDER
# Builds screen.m and its stand-in libobjc as Mach-O, with debug information, for each architecture.
set -euo pipefail
clang=$1 lld=$2 dsymutil=$3 out=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out"
for arch in x86_64 arm64; do
    target=$arch-apple-macos13
    link=("$lld" -arch "$arch" -platform_version macos 13.0 13.0 -no_fixup_chains)
    # Two names that clang knows as builtins are defined here with other types.
    "$clang" -target "$target" -ffreestanding -w -c "$here/libobjc.c" -o "$out/libobjc-$arch.o"
    "${link[@]}" -dylib -install_name /usr/lib/libobjc.A.dylib \
        -o "$out/libobjc-$arch.dylib" "$out/libobjc-$arch.o"
    "$clang" -target "$target" -g -fobjc-arc -fobjc-weak -fblocks -Wno-objc-root-class \
        -c "$here/screen.m" -o "$out/screen-$arch.o"
    "${link[@]}" -o "$out/screen-$arch" "$out/screen-$arch.o" "$out/libobjc-$arch.dylib"
    "$dsymutil" -o "$out/screen-$arch.dSYM" "$out/screen-$arch"
done
