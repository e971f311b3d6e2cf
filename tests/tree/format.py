"""C and C++ sources are as .clang-format wants them.

usage: format.py CLANG_FORMAT SOURCE_FOLDER; exit status 77 (skipped) without the tool or git.
The rules of newer versions differ in small things, so only version 14 is asked.
"""
import subprocess
import sys

SUFFIXES = (".c", ".h", ".cpp")
# Headers in Objective-C or with blocks, which the tool takes for another language.
EXCLUDED = (
    "examples/photo_browser/",
    "tests/runtime/include/",
    "tests/runtime/checks/",
    "tests/runtime/foundation/",
    "tests/runtime/tagged/",
    "tests/compiler/blocks/plain.c",
    "tests/fixtures/c_block/block.h",
    "tests/fix/known/",
    "tests/gnustep/",
    "tests/heap/things.h",
    "tests/leaks/programs/newsroom.h",
    "tests/watch/",
    "tests/testing/",
    "testing/Loupe",
    "testing/loupe_testing.h",
    "tests/libobjc2/include/",
    "tests/fixtures/union_ivar/manual.h",
    "tests/fixtures/foundation_holders/holders.h",
    "tests/lldb/programs/hidden.h",
)


def main():
    tool, folder = sys.argv[1:]
    try:
        version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True)
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=folder, capture_output=True, text=True, check=True,
        )
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"skipped: {problem}")
        return 77
    if "version 14." not in version.stdout:
        print(f"skipped: needs clang-format 14, this is {version.stdout.strip()}")
        return 77
    files = [
        name
        for name in listed.stdout.split()
        if name.endswith(SUFFIXES) and not name.startswith(EXCLUDED)
    ]
    done = subprocess.run([tool, "--dry-run", "-Werror", *files], cwd=folder, check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
