"""The helper exports the functions of its header and nothing else, calls only what it may, and needs
nothing but a C library. Nothing of it runs when it is loaded.

usage: exports.py NM READELF LIBRARY HEADER
"""
import pathlib
import platform
import re
import subprocess
import sys

# What a C library offers without a lock, a buffer or an allocation, and no program replaces. System
# calls are made without it where the helper knows how.
IMPORTS = {"__errno_location", "getauxval", "pthread_self"}
if platform.machine() not in ("x86_64", "aarch64"):
    IMPORTS.add("syscall")


RUN_BY_THE_LOADER = {"INIT", "INIT_ARRAY", "PREINIT_ARRAY", "FINI", "FINI_ARRAY", "TEXTREL"}
LIBRARIES = re.compile(r"libc\.(so\.6|musl.*)$")


def symbols(nm, *options):
    listing = subprocess.run([nm, "-D", *options], check=True, capture_output=True, text=True)
    return {line.split()[-1].split("@")[0] for line in listing.stdout.splitlines()}


def declared(header):
    return set(re.findall(r"^LOUPE_HELPER_API\b[^;(]*?(\w+)\(",
                          pathlib.Path(header).read_text(), re.M))


def loader_faults(readelf, library):
    """By the dynamic section: what the loader does for the library beside mapping it."""
    listing = subprocess.run([readelf, "-dW", library], check=True, capture_output=True, text=True)
    entries = re.findall(r"^ *0x\w+ \((\w+)\) *(.*)$", listing.stdout, re.M)
    if not entries:
        yield "has no dynamic section that can be read"
    for tag, value in entries:
        needed = re.search(r"\[(.*)\]", value) if tag == "NEEDED" else None
        if tag in RUN_BY_THE_LOADER:
            yield f"has {tag}"
        if needed and not LIBRARIES.match(needed[1]):
            yield f"needs {needed[1]}"


def main():
    nm, readelf, library, header = sys.argv[1:]
    exported = symbols(nm, "--defined-only", library)
    imported = symbols(nm, "--undefined-only", library)
    api = declared(header)
    faults = [f"declares no function: {header}"] if not api else []
    faults += [f"exported beside the API: {name}" for name in sorted(exported - api)]
    faults += [f"declared but not exported: {name}" for name in sorted(api - exported)]
    faults += [f"called but not on the list: {name}" for name in sorted(imported - IMPORTS)]
    faults += loader_faults(readelf, library)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
