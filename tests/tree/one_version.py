"""The version in project() of CMakeLists.txt is that of the commands, and of a section of CHANGELOG.md.

usage: one_version.py PROJECT_FOLDER
"""
import pathlib
import re
import sys
from typing import Iterator


def only(pattern: str, path: pathlib.Path) -> str:
    [found] = re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    return str(found)


def faults(folder: pathlib.Path) -> Iterator[str]:
    version = only(r"^project\(loupe VERSION (\S+)", folder / "CMakeLists.txt")
    commands = only(r'^__version__ = "(.*)"$', folder / "lldb_commands" / "__init__.py")
    if commands != version:
        yield f"lldb_commands.__version__ is {commands}, CMakeLists.txt has {version}"
    changelog = (folder / "CHANGELOG.md").read_text(encoding="utf-8")
    if f"\n## {version}\n" not in changelog:
        yield f"CHANGELOG.md has no section {version}"


def main() -> int:
    found = list(faults(pathlib.Path(sys.argv[1])))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
