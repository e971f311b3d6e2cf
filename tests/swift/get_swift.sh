#!/bin/sh
# Puts the Swift compiler of Debian trixie (6.0.3) into a folder of its own, for the tests of Swift: by apt,
# nothing is installed. Some 450 MB come over the network, 900 MB stay. Needs patchelf, since the compiler
# wants a newer C library than this system may have: it gets the one beside it.
#
# usage: get_swift.sh FOLDER; prints the compiler
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
compiler=$folder/usr/bin/swiftc
[ ! -e "$folder/complete" ] || { echo "$compiler"; exit 0; }
command -v patchelf > /dev/null || { echo "get_swift.sh: patchelf is not installed" >&2; exit 1; }

apt=$folder/apt
mkdir -p "$apt/etc/apt/preferences.d" "$apt/var/lib/apt/lists/partial" "$apt/var/lib/dpkg" \
    "$apt/var/cache/apt/archives/partial" "$apt/packages"
: > "$apt/var/lib/dpkg/status"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [arch=amd64 signed-by=$keyring] http://deb.debian.org/debian trixie main" \
    > "$apt/etc/sources.list"
set -- -qq -o Dir="$apt" -o Dir::Etc::sourcelist="$apt/etc/sources.list" \
    -o Dir::State::status="$apt/var/lib/dpkg/status"
(cd "$apt/packages" && apt-get "$@" update &&
    apt-get "$@" download swiftlang libswiftlang libc6 libgcc-s1 libstdc++6 libncurses6 libtinfo6 \
        libsqlite3-0 libuuid1 zlib1g libzstd1) >&2

# Debuggers, editors' servers and documents are not needed to compile.
for package in "$apt"/packages/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder" --keep-directory-symlink \
        --exclude='*/liblldb.so*' --exclude='*/bin/lldb*' --exclude='*/bin/clangd' \
        --exclude='*/bin/sourcekit-lsp' --exclude='*/libsourcekitdInProc*' --exclude='*/bin/docc' \
        --exclude='*/bin/swift-package' --exclude='*/bin/llvm-*' --exclude='*/share/doc/*'
done
rm -rf "$apt"

libraries=$folder/usr/lib/x86_64-linux-gnu
find_libraries() { # FILE OPTION...: FILE finds its libraries beside it, too
    file=$1
    shift
    paths=$(patchelf --print-rpath "$file")
    patchelf "$@" --set-rpath "${paths:+$paths:}$libraries" "$file" 2> /dev/null
}
for program in "$folder"/usr/libexec/swift/bin/swift-frontend \
    "$folder"/usr/libexec/swift/bin/swift-driver "$folder"/usr/libexec/swift/bin/clang-[0-9]*; do
    [ ! -f "$program" ] || [ -L "$program" ] ||
        find_libraries "$program" --set-interpreter "$libraries/ld-linux-x86-64.so.2"
done
find "$folder/usr/libexec/swift/lib/swift" -path '*/linux/*.so' -o -path '*/host/*.so' |
    while read -r library; do
        find_libraries "$library"
    done
: > "$folder/complete"
echo "$compiler"
