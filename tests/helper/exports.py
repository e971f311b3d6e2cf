"""The helper exports the functions of its header and nothing else, and calls only what it may.

usage: exports.py NM LIBRARY HEADER
"""
import pathlib
import re
import subprocess
import sys

# System calls and what a C library offers without a lock, a buffer or an allocation.
IMPORTS = {
    "__errno_location", "clock_gettime", "getauxval", "madvise", "mmap", "munmap", "syscall",
}


def symbols(nm, *options):
    listing = subprocess.run([nm, "-D", *options], check=True, capture_output=True, text=True)
    return {line.split()[-1].split("@")[0] for line in listing.stdout.splitlines()}


def declared(header):
    return set(re.findall(r"^LOUPE_HELPER_API\b[^;(]*?(\w+)\(",
                          pathlib.Path(header).read_text(), re.M))


def main():
    nm, library, header = sys.argv[1:]
    exported = symbols(nm, "--defined-only", library)
    imported = symbols(nm, "--undefined-only", library)
    api = declared(header)
    faults = [f"declares no function: {header}"] if not api else []
    faults += [f"exported beside the API: {name}" for name in sorted(exported - api)]
    faults += [f"declared but not exported: {name}" for name in sorted(api - exported)]
    faults += [f"called but not on the list: {name}" for name in sorted(imported - IMPORTS)]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
