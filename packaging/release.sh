#!/bin/sh
# Makes a release: the Debian package, the tarball, a wheel, a bundle for clients of MCP, the sources, an SBOM and checksums, and where
# the clone knows where the project lives the formula of Homebrew. Two builds of
# one commit by the same tools are the same, byte by byte, wherever they are made; --twice shows it.
# usage: packaging/release.sh [--twice] OUT; builds what is committed.
set -eu
export LC_ALL=C TZ=UTC

twice=
[ "$1" != --twice ] || { twice=1; shift; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
project=$(cd "$(dirname "$0")/.." && pwd)
# What is committed now: the branch may move on while this builds.
commit=$(git -C "$project" rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git -C "$project" log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH
version=$(sed -n 's/^project(loupe VERSION \([0-9.]*\).*/\1/p' "$project/CMakeLists.txt")
homepage=$("$project/packaging/homepage.sh")
[ -n "$version" ] || { echo "no version in CMakeLists.txt" >&2; exit 1; }

# A Mac has neither GNU's tar under that name nor dpkg.
kinds="DEB;TGZ" tar=tar
[ "$(uname -s)" = Linux ] || kinds=TGZ
[ -z "$(command -v gtar)" ] || tar=gtar
sums() { if command -v sha256sum > /dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }

# build TO: the packages of what is committed, in a folder of any name. With the RPATH of the
# installation from the start: the one of a build tree would be in the build-ids.
build() {
    work=$(mktemp -d)
    mkdir "$work/source"
    git -C "$project" archive "$commit" | tar -x -C "$work/source"
    map="-ffile-prefix-map=$work/source=/loupe -ffile-prefix-map=$work/build=/build"
    CFLAGS="$map -fdebug-prefix-map=$work=/loupe ${CFLAGS:-}" CXXFLAGS="$map ${CXXFLAGS:-}" \
        cmake -S "$work/source" -B "$work/build" -DLOUPE_BUILD_TESTS=OFF -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON -DLOUPE_HOMEPAGE="$homepage" -DCMAKE_INSTALL_PREFIX=/usr \
        > "$work/log"
    cmake --build "$work/build" --parallel "${JOBS:-2}" >> "$work/log" || { tail -n 30 "$work/log"; exit 1; }
    (cd "$work/build" && umask 022 && cpack -G "$kinds" -B "$work/packages" >> "$work/log") ||
        { tail -n 30 "$work/log"; exit 1; }
    mkdir -p "$1"
    find "$work/packages" -name '*.deb' -exec mv {} "$1/" \;
    # cpack packs in the order in which a folder has its files, so that is done again here.
    mkdir "$work/unpacked"
    tar -xzf "$work/packages/"*.tar.gz -C "$work/unpacked" --strip-components=1
    mv "$work/unpacked" "$work/loupe-$version"
    "$tar" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$work" \
        -cf - "loupe-$version" | gzip -9n > "$1/loupe-$version-$(uname -s)-$(uname -m).tar.gz"
    python3 -B "$work/source/packaging/wheel.py" "$work/loupe-$version" "$version" "$1"
    python3 -B "$work/source/packaging/mcp.py" bundle "$work/loupe-$version" "$version" "$1"
    git -C "$project" archive --prefix="loupe-$version-source/" "$commit" | gzip -9n > "$1/loupe-$version-source.tar.gz"
    python3 -B "$work/source/packaging/sbom.py" "$work/source" "$version" "$SOURCE_DATE_EPOCH" "$1" \
        > "$1/loupe-$version.spdx.json"
    if [ -n "$homepage" ]; then
        sum=$(sums "$1/loupe-$version-source.tar.gz")
        sed -e "s,https://loupe.invalid/releases/,$homepage/releases/download/v$version/," \
            -e "s,https://loupe.invalid,$homepage," -e "s,loupe-[0-9.]*-source,loupe-$version-source," \
            -e "s,sha256 \"0*\",sha256 \"${sum%% *}\"," "$work/source/packaging/homebrew/loupe.rb" > "$1/loupe.rb"
    fi
    rm -rf "$work"
    (cd "$1" && sums -- loupe* > SHA256SUMS)
}

rm -f "$out"/loupe*"$version"* "$out/SHA256SUMS"
build "$out"
if [ -n "$twice" ]; then
    again=$(mktemp -d)
    build "$again"
    diff "$out/SHA256SUMS" "$again/SHA256SUMS" || { echo "two builds differ: $out and $again" >&2; exit 1; }
    rm -rf "$again"
    echo "two builds are the same"
fi
cat "$out/SHA256SUMS"
