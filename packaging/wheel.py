"""A wheel of an installation: the commands of LLDB with plugin, helper and command-line tool inside, for one
kind of machine. Needs no network, no pip and no setuptools; the same installation makes the same wheel.

usage: wheel.py PREFIX VERSION OUT
"""
import base64
import hashlib
import os
import pathlib
import sys
import sysconfig
import time
import zipfile
from typing import Dict, Tuple

MODES = {True: 0o100755, False: 0o100644}


def files_of(prefix: pathlib.Path, version: str) -> Dict[str, Tuple[bytes, bool]]:
    """Names in the wheel, with their bytes and whether they are programs."""
    found: Dict[str, Tuple[bytes, bool]] = {}
    commands = prefix / "share" / "loupe" / "lldb_commands"
    for path in sorted(commands.rglob("*")):
        if path.suffix in (".py", ".json"):
            found[f"lldb_commands/{path.relative_to(commands)}"] = path.read_bytes(), False
    for path in sorted((prefix / "lib" / "loupe").glob("libloupe_*")):
        if path.suffix in (".so", ".dylib"):
            found[f"lldb_commands/native/{path.name}"] = path.read_bytes(), True
    found["lldb_commands/native/loupe"] = (prefix / "bin" / "loupe").read_bytes(), True
    about = f"loupe_lldb-{version}.dist-info"
    license_text = (prefix / "share" / "doc" / "loupe" / "copyright").read_bytes()
    readme = (prefix / "share" / "doc" / "loupe" / "README.md").read_text(encoding="utf-8")
    found[f"{about}/LICENSE"] = license_text, False
    found[f"{about}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: loupe-lldb\nVersion: {version}\n"
        "Summary: Why is this object still alive? Commands for LLDB, and a tool for heaps\n"
        "License: MIT\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n"
        f"{readme}").encode(), False
    found[f"{about}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: loupe\nRoot-Is-Purelib: false\nTag: {tag()}\n").encode(), False
    found[f"{about}/entry_points.txt"] = b"[console_scripts]\nloupe = lldb_commands.__main__:tool\n", False
    return found


def tag() -> str:
    """Any Python 3, this system and processor."""
    return f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def write(wheel: pathlib.Path, files: Dict[str, Tuple[bytes, bool]], record: str) -> None:
    lines = []
    moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), 315532800))
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as packed:
        def put(name: str, data: bytes, runs: bool) -> None:
            entry = zipfile.ZipInfo(name, moment[:6])
            entry.external_attr = MODES[runs] << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, data)
        for name, (data, runs) in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
            put(name, data, runs)
        put(record, "".join([*lines, f"{record},,\n"]).encode(), False)


def main() -> None:
    prefix, version, out = sys.argv[1:]
    wheel = pathlib.Path(out, f"loupe_lldb-{version}-{tag()}.whl")
    write(wheel, files_of(pathlib.Path(prefix), version), f"loupe_lldb-{version}.dist-info/RECORD")
    print(wheel)


main()
