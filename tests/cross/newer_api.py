"""The names that the plugin looks functions up by are those that clang gives them for a Mac.

usage: newer_api.py CLANG++ SOURCE_DIR LIBCXX_HEADERS LLDB_HEADERS WORK_DIR
Exits with 77 when a tool or headers are missing.
"""
import pathlib
import re
import subprocess
import sys

# Calls what plugin/newer_api.cpp looks up, by the declarations of LLDB's own headers.
CALLER = """
#include <lldb/API/LLDB.h>
#include <lldb/API/SBProgress.h>
void call(lldb::SBProcess process, lldb::SBDebugger debugger);
void call(lldb::SBProcess process, lldb::SBDebugger debugger) {
    process.FixAddress(0, lldb::eAddressMaskTypeAny);
    debugger.InterruptRequested();
    lldb::SBProgress progress("", "", debugger);
    progress.Increment(1);
}
"""
LOOKED_UP = re.compile("SBProgressC1|SBProgressD1|9Increment|FixAddress|InterruptRequested")


def compiled(clang, source_dir, libcxx, headers, source, made):
    subprocess.run(
        [clang, "--target=x86_64-apple-macosx13", "-isysroot",
         source_dir / "tests/cross/darwin_sdk", "-stdlib++-isystem", libcxx, "-isystem", headers,
         "-std=c++17", "-O1", "-fno-exceptions", "-fno-rtti", "-I", source_dir / "core", "-c",
         source, "-o", made], check=True)
    return made.read_bytes()


def names(image, mark):
    found = {text.decode() for text in re.findall(mark + rb"ZNK?4lldb\w+", image)}
    return {name.lstrip("_") for name in found if LOOKED_UP.search(name)}


def main():
    clang, source_dir, libcxx, headers, work_dir = sys.argv[1:]
    if "NOTFOUND" in libcxx + clang or not (pathlib.Path(headers) / "lldb/API/SBProgress.h").exists():
        print("skipped: this takes clang, headers of libc++, and those of LLDB 20 or newer")
        return 77
    source_dir, work_dir = pathlib.Path(source_dir), pathlib.Path(work_dir)
    work_dir.mkdir(parents=True, exist_ok=True)
    caller = work_dir / "caller.cpp"
    caller.write_text(CALLER)
    called = names(compiled(clang, source_dir, libcxx, headers, caller, work_dir / "caller.o"),
                   rb"__")
    looked_up = names(compiled(clang, source_dir, libcxx, headers,
                               source_dir / "plugin/newer_api.cpp", work_dir / "newer_api.o"), rb"_")
    for name in sorted(called ^ looked_up):
        print(f"{name} is {'not looked up' if name in called else 'no function of LLDB'}")
    print(f"{len(called)} functions")
    return 1 if called != looked_up or len(called) != 5 else 0


if __name__ == "__main__":
    sys.exit(main())
