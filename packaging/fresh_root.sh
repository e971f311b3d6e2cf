#!/bin/sh
# Installs a package in a Debian that has nothing else, and uses it there as a stranger would: a core of a
# program compiled there, the manual, the tab key of three shells, LLDB; and builds the site of the docs.
# usage: sudo packaging/fresh_root.sh PACKAGE.deb [SUITE [MIRROR]]; exit status 77 without debootstrap
# or root. KEEP=1 leaves the folder, whose name is printed first; TMPDIR says where it is made, and
# BASE=FOLDER is a root that debootstrap made before, of which a copy is taken.
set -eu

package=$(realpath "$1")
suite=${2:-bookworm}
mirror=${3:-http://deb.debian.org/debian}
project=$(realpath "$(dirname "$0")/..")
[ "$(id -u)" = 0 ] || { echo "skipped: only root can make a new root"; exit 77; }
[ -n "${BASE:-}" ] || command -v debootstrap > /dev/null || { echo "skipped: there is no debootstrap"; exit 77; }

root=$(mktemp -d "${TMPDIR:-/tmp}/loupe-root-XXXXXX")
echo "$root"
finish() {
    umount "$root/proc" "$root/dev/pts" 2> /dev/null || true
    [ -n "${KEEP:-}" ] || rm -rf --one-file-system "$root"
}
trap finish EXIT
if [ -n "${BASE:-}" ]; then
    cp -a "$BASE/." "$root"
else
    debootstrap --variant=minbase "$suite" "$root" "$mirror" > "$root.log" 2>&1 || { tail "$root.log"; exit 1; }
    rm -f "$root.log"
fi
# The proxy and the certificates of this machine's apt, where it has any.
cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
# Terminals, for the shells.
mkdir -p "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -sf pts/ptmx "$root/dev/ptmx"
cp "$package" "$root/loupe.deb"

inside() {
    echo "\$ $*"
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C TERM=dumb \
        DEBIAN_FRONTEND=noninteractive sh -c "$*"
}
# shows WORDS COMMAND: what the command prints has the words.
shows() {
    words=$1
    shift
    said=$(inside "$*" 2>&1) || { echo "$said"; exit 1; }
    echo "$said"
    echo "$said" | sed 1d | grep -qF -e "$words" || { echo "it does not say: $words"; exit 1; }
}
install() {
    inside "apt-get -qy install --no-install-recommends $* > /tmp/install 2>&1 || { tail /tmp/install; exit 1; }"
}

inside 'apt-get -q update > /tmp/update 2>&1 || { tail /tmp/update; exit 1; }'
install /loupe.deb lldb python3-lldb-14
inside 'dpkg -s loupe | grep -E "^(Status|Version)"'
inside 'loupe --version'
inside 'loupe explain layout 0x111'
PYTHONPATH=$project/tests/heap_dumps python3 -B -c \
    'import sys, drawn_dump; sys.stdout.buffer.write(drawn_dump.ring().bytes())' > "$root/ring.hprof"
inside 'loupe path /ring.hprof 0x1020'
inside 'printf "%s\n" "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" | loupe serve'

# ---- A program with a retain cycle, and its core ----

install gobjc libc6-dev gdb man-db bash-completion zsh fish mkdocs mkdocs-material
cat > "$root/lantern.m" << 'EOF'
#include <objc/Object.h>
#include <objc/runtime.h>
#include <stdlib.h>
@interface Lantern : Object { id flame; }
- (void)light:(id)other;
@end
@implementation Lantern
- (void)light:(id)other { flame = other; }
@end
int main(void) {
    Class class = objc_getClass("Lantern");
    Lantern *one = class_createInstance(class, 0), *other = class_createInstance(class, 0);
    [one light:other];
    [other light:one];
    abort();
}
EOF
inside 'cd /tmp && gcc -g /lantern.m -lobjc -o lantern'
inside 'cd /tmp && gdb -nx -batch -ex run -ex "gcore /core.lantern" ./lantern > gdb.log 2>&1; test -s /core.lantern || { cat gdb.log; exit 1; }'
shows "2 instances found" "loupe find /core.lantern Lantern"

# ---- The manual, and the tab key: of what was installed, as in a terminal ----

shows 'loupe leaks' 'man loupe-leaks | head -n 12'
shows DEBUGINFOD_URLS 'man loupe-environment | grep -m 1 URLS'
cat > "$root/offers.bash" << 'EOF'
. /usr/share/bash-completion/bash_completion
COMP_WORDS=(loupe find /core.lantern Lan) COMP_CWORD=3 COMP_LINE='loupe find /core.lantern Lan' COMP_POINT=28
_completion_loader loupe
"$(complete -p loupe | sed 's/.*-F \([^ ]*\).*/\1/')" loupe Lan /core.lantern
printf '%s\n' "${COMPREPLY[@]}"
EOF
cp "$project/tests/cli/offers.zsh" "$root/offers.zsh"
shows Lantern 'bash /offers.bash'
shows Lantern 'fish -c "complete -C \"loupe find /core.lantern Lan\""'
shows 'loupe find /core.lantern Lantern' 'zsh -f /offers.zsh "" loupe find /core.lantern Lan'

# ---- The docs as a site ----

mkdir "$root/project"
(cd "$project" && tar -c docs mkdocs.yml README.md CHANGELOG.md) | tar -x -C "$root/project"
shows leaks.html 'cd /project && mkdocs build --quiet --strict --site-dir /tmp/site && cd /tmp/site && ls *.html | wc -l && ls leaks.html'

# ---- LLDB, and the end ----

inside 'echo "command script import /usr/share/loupe" > /root/.lldbinit'
# Debian's lldb 14 does not find its own module of Python.
inside 'export PYTHONPATH=$(dirname "$(dirname "$(find /usr/lib/llvm-* -path "*-packages/lldb/__init__.py" | head -n 1)")")
    lldb -b -o "loupe doctor" /bin/sleep > /tmp/doctor 2>&1; cat /tmp/doctor'
inside 'grep -q "/usr/lib/loupe/libloupe_plugin.so" /tmp/doctor'
inside 'apt-get -qy purge loupe > /tmp/purge 2>&1 || { tail /tmp/purge; exit 1; }'
# An icon of mkdocs-material has this name.
left=$(find "$root/usr" "$root/etc" \( -name 'loupe*' -o -name _loupe -o -name 'libloupe*' -o -name 'Loupe*' \) \
    ! -path '*/mkdocs/*' | head)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "installed, used and removed in a fresh $suite"
