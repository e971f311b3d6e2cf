#!/bin/sh
# What CHANGELOG.md says of the version of the sources, for a release.
cd "$(dirname "$0")/.." || exit 1
version=$(sed -n 's/^project(loupe VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
awk -v heading="## $version" 'index($0, "## ") == 1 { on = index($0, heading) == 1; next } on' CHANGELOG.md | grep . ||
    { echo "CHANGELOG.md says nothing of $version" >&2; exit 1; }
