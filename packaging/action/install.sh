#!/bin/bash
# A step of action.yml: installs a release of Loupe from where the action came from, after its checksum and
# its attestation (which says that this repository's release workflow built it) are seen to be right.
# Environment: LOUPE_VERSION, LOUPE_REPOSITORY, and what GitHub sets for steps.
set -euo pipefail

die() { echo "::error title=Loupe::$1"; exit 2; }

if [ "$LOUPE_VERSION" = none ]; then
    tool=$(command -v loupe) || die "version is none, and PATH has no loupe"
    echo "share=$(cd "$(dirname "$tool")/.." && pwd)/share/loupe" >> "$GITHUB_OUTPUT"
    exit 0
fi
version=${LOUPE_VERSION:-$(sed -n 's/^project(loupe VERSION \([0-9.]*\).*/\1/p' "$GITHUB_ACTION_PATH/CMakeLists.txt")}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "version is not the number of a release"
archive=loupe-$version-$(uname -s)-$(uname -m).tar.gz
from=$GITHUB_SERVER_URL/$LOUPE_REPOSITORY/releases/download/v$version
folder=$RUNNER_TEMP/loupe-$version
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
for file in "$archive" SHA256SUMS; do
    curl --fail --silent --show-error --location --retry 3 --output "$file" "$from/$file" ||
        die "$from/$file cannot be fetched: there is no release $version for $(uname -sm)"
done
grep -F "  $archive" SHA256SUMS > expected || die "SHA256SUMS of the release does not name $archive"
if command -v sha256sum > /dev/null; then
    sha256sum --check --strict expected || die "$archive is not what SHA256SUMS says"
else
    shasum -a 256 --check --strict expected || die "$archive is not what SHA256SUMS says"
fi
gh attestation verify "$archive" --repo "$LOUPE_REPOSITORY" ||
    die "$archive has no attestation of $LOUPE_REPOSITORY: it may not be what its release workflow built"
tar -xzf "$archive" --strip-components=1
./bin/loupe --version
echo "$folder/bin" >> "$GITHUB_PATH"
echo "share=$folder/share/loupe" >> "$GITHUB_OUTPUT"
