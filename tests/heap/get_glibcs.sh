#!/bin/sh
# Unpacks the C libraries of other releases of Debian and Ubuntu beside one another, by apt and into
# one folder, and prints what CMake is told then; nothing is installed. Ubuntu's need its keyring,
# /usr/share/keyrings/ubuntu-archive-keyring.gpg.
#
# usage: get_glibcs.sh FOLDER
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)

# get KEYRING ARCHIVE SUITE...
get() {
    keyring=/usr/share/keyrings/$1-archive-keyring.gpg archive=$2
    shift 2
    [ -e "$keyring" ] || return 0
    for suite in "$@"; do
        root=$folder/$suite
        mkdir -p "$root/etc/apt/preferences.d" "$root/var/lib/apt/lists/partial" "$root/var/lib/dpkg" \
            "$root/var/cache/apt/archives/partial" "$root/package"
        : > "$root/var/lib/dpkg/status"
        echo "deb [arch=amd64 signed-by=$keyring] $archive $suite main" > "$root/etc/apt/sources.list"
        set -- -qq -o Dir="$root" -o Dir::State::status="$root/var/lib/dpkg/status"
        (cd "$root/package" && apt-get "$@" update && apt-get "$@" download libc6)
        dpkg-deb -x "$root"/package/libc6_*.deb "$root/unpacked"
        libc=$(find "$root/unpacked" -name libc.so.6 | head -n 1)
        libraries=$libraries${libraries:+;}${libc%/libc.so.6}
    done
}

libraries=
get debian http://deb.debian.org/debian bullseye trixie sid
get ubuntu http://archive.ubuntu.com/ubuntu jammy noble questing
echo "-DLOUPE_GLIBCS=$libraries"
