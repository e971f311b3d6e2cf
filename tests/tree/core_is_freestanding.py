"""The core, and what words its answers, need no LLDB, no Objective-C header, no heap and no stdio: by
their includes and symbols. The core's folders stand in the order of ARCHITECTURE.md, and each includes
only itself and earlier ones; reports know graphs and describers, never the walk that made them.

What a debugger loads of it calls no more, where that is built.

usage: core_is_freestanding.py NM SOURCE_FOLDER CORE_LIBRARY ANSWERS_LIBRARY [LOADED_LIBRARY]
"""
import pathlib
import re
import subprocess
import sys

import rooms

HEADERS = {"stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "string.h"}
# What a compiler may call for plain C, and the few string functions that need nothing.
SYMBOLS = {"bcmp", "memchr", "memcmp", "memcpy", "memmove", "memset", "strcmp", "strlen",
           "strncmp"}
LINKER_MADE = {"_GLOBAL_OFFSET_TABLE_"}
# Where names begin with an underscore, on a Mac: what its headers and compiler make of these unasked.
ON_A_MAC = {"_" + name for name in SYMBOLS} | {
    "___memcpy_chk", "___memmove_chk", "___memset_chk", "___strncpy_chk", "___stack_chk_fail",
    "___stack_chk_guard", "_bzero", "___bzero"}


def undefined_symbols(nm, *libraries):
    """Those that no member of the libraries defines."""
    listing = subprocess.run([nm, "-g", *libraries], check=True, capture_output=True, text=True).stdout
    needed, defined = set(), set()
    for line in listing.splitlines():
        match = re.match(r"(?:[0-9a-f]+)?\s+([A-Za-z])\s+(\S+)$", line)
        if match:
            (needed if match[1] in "Uw" else defined).add(match[2])
    return needed - defined - LINKER_MADE


def foreign_includes(folder):
    for path in sorted(folder.rglob("*.[ch]")):
        for header in re.findall(r"^\s*#\s*include\s*<([^>]+)>", path.read_text(), re.M):
            if header not in HEADERS:
                yield f"{path.relative_to(folder.parent)} includes <{header}>"


DATA = {"../rules/known_leaks.def"}  # tables that depend on nothing


def backward_includes(core):
    order = rooms.folders_of_core(core.parent)
    for place, folder in enumerate(order):
        allowed = order[:place + 1]
        for path in sorted((core / folder).rglob("*.[ch]")):
            for header in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(), re.M):
                if header.split("/")[0] not in allowed and header not in DATA:
                    yield f"{path.relative_to(core)} includes {header}, which comes later"
    for folder in core.iterdir():
        if folder.is_dir() and folder.name not in order:
            yield f"core/{folder.name} has no place in the order of folders"


def walks_in_reports(core):
    """Reports write what a graph and its describer tell; how it was walked is not their business."""
    for path in sorted((core / "report").rglob("*.[ch]")):
        if "loupe_walk" in path.read_text() or "edges/edges.h" in path.read_text():
            yield f"{path.relative_to(core)} knows the walk"


def symbols_used(nm, libraries):
    undefined = undefined_symbols(nm, *libraries)
    allowed = ON_A_MAC if "_memcpy" in undefined else SYMBOLS
    for name in sorted(undefined - allowed):
        yield f"{' and '.join(pathlib.Path(library).name for library in libraries)}: calls {name}"


def loaded_symbols(nm, library):
    """What a shared library calls, but for what linkers add to each."""
    listing = subprocess.run([nm, "-D", "--undefined-only", library], check=True,
                             capture_output=True, text=True).stdout
    for match in re.finditer(r"U ([^@\s]+)", listing):
        if match[1] not in SYMBOLS:
            yield f"{pathlib.Path(library).name}: calls {match[1]}"


def main():
    nm, source, core_library, answers_library, *loaded = sys.argv[1:]
    core, answers = pathlib.Path(source) / "core", pathlib.Path(source) / "answers"
    faults = [*symbols_used(nm, [core_library]), *symbols_used(nm, [core_library, answers_library])]
    faults += [fault for library in filter(None, loaded) for fault in loaded_symbols(nm, library)]
    faults += [*foreign_includes(core), *foreign_includes(answers), *backward_includes(core),
               *walks_in_reports(core)]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
