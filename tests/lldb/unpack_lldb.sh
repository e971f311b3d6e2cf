#!/usr/bin/env bash
# usage: unpack_lldb.sh VERSION DIRECTORY
# Unpacks a second version of lldb beside the installed one (their Python packages conflict), with
# apt but without installing it. Makes DIRECTORY/lldb-VERSION, which starts it.
set -euo pipefail

[ $# -eq 2 ] || { sed -n 's/^# //; 2p' "$0" >&2; exit 2; }
version=$1
mkdir -p "$2"
directory=$(cd "$2" && pwd)

cd "$directory"
chmod a+rwx . # apt drops its privileges for downloads
apt-get download -qq "lldb-$version" "liblldb-$version" "python3-lldb-$version" \
    "libllvm$version" "libclang-cpp$version" python3-six # which the module of lldb 14 imports
for package in ./*.deb; do
    dpkg -x "$package" root
    rm "$package"
done

llvm=$directory/root/usr/lib/llvm-$version
# Its own module goes before the installed one.
module=$(find "$llvm" -path '*-packages/lldb/__init__.py' | head -n 1)
module=${module%/lldb/__init__.py}
cat >"lldb-$version" <<END
#!/bin/sh
export LD_LIBRARY_PATH="$llvm/lib:$directory/root/usr/lib/$(uname -m)-linux-gnu"
export PYTHONPATH="$module:$directory/root/usr/lib/python3/dist-packages"
export LLDB_DEBUGSERVER_PATH="$llvm/bin/lldb-server"
exec "$llvm/bin/lldb" "\$@"
END
chmod +x "lldb-$version"
