#!/bin/sh
# Installs a package in a Debian that has nothing else, and uses it there as a stranger would.
# usage: sudo packaging/fresh_root.sh PACKAGE.deb [SUITE [MIRROR]]; exit status 77 without debootstrap
# or root. KEEP=1 leaves the folder, whose name is printed first.
set -eu

package=$(realpath "$1")
suite=${2:-bookworm}
mirror=${3:-http://deb.debian.org/debian}
[ "$(id -u)" = 0 ] || { echo "skipped: only root can make a new root"; exit 77; }
command -v debootstrap > /dev/null || { echo "skipped: there is no debootstrap"; exit 77; }

root=$(mktemp -d /tmp/loupe-root-XXXXXX)
echo "$root"
finish() {
    umount "$root/proc" 2> /dev/null || true
    [ -n "${KEEP:-}" ] || rm -rf --one-file-system "$root"
}
trap finish EXIT
debootstrap --variant=minbase "$suite" "$root" "$mirror" > "$root.log" 2>&1 || { tail "$root.log"; exit 1; }
rm -f "$root.log"
# The proxy and the certificates of this machine's apt, where it has any.
cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
cp "$package" "$root/loupe.deb"

inside() {
    echo "\$ $*"
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
        DEBIAN_FRONTEND=noninteractive sh -c "$*"
}
inside 'apt-get -q update > /tmp/update 2>&1 || { tail /tmp/update; exit 1; }'
inside 'apt-get -qy install --no-install-recommends /loupe.deb lldb python3-lldb-14 > /tmp/install 2>&1 || { tail /tmp/install; exit 1; }'
inside 'dpkg -s loupe | grep -E "^(Status|Version)"'
inside 'loupe --version'
inside 'loupe explain layout 0x111'
PYTHONPATH=$(dirname "$0")/../tests/heap_dumps python3 -B -c \
    'import sys, drawn_dump; sys.stdout.buffer.write(drawn_dump.ring().bytes())' > "$root/ring.hprof"
inside 'loupe path /ring.hprof 0x1020'
inside 'printf "%s\n" "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" | loupe serve'
inside 'echo "command script import /usr/share/loupe" > /root/.lldbinit'
# Debian's lldb 14 does not find its own module of Python.
inside 'export PYTHONPATH=$(dirname "$(dirname "$(find /usr/lib/llvm-* -path "*-packages/lldb/__init__.py" | head -n 1)")")
    lldb -b -o "loupe doctor" /bin/sleep > /tmp/doctor 2>&1; cat /tmp/doctor'
inside 'grep -q "/usr/lib/loupe/libloupe_plugin.so" /tmp/doctor'
inside 'apt-get -qy purge loupe > /tmp/purge 2>&1 || { tail /tmp/purge; exit 1; }'
left=$(find "$root/usr" "$root/etc" -name 'loupe*' -o -name 'libloupe*' -o -name 'Loupe*' | head)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "installed, used and removed in a fresh $suite"
