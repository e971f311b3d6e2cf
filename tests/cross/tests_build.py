"""Builds tests, benches and examples for a Mac by Loupe's own CMake files, as ./run build does there;
with --syntax looks at each source of theirs and of what is shipped, once, and makes nothing of it.

Exits with 77 when a tool is missing.
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

import cross_build

sys.path.insert(0, str(cross_build.SOURCE / "tests" / "support"))
from share import share_of  # noqa: E402

OF_TESTS = ("tests/", "bench/", "examples/")
# What the libraries are made of: cross.x86_64_macos compiles all of it in every run.
OF_LIBRARIES = ("core/", "answers/", "helper/", "record/", "stacks/", "watch/", "testing/", "at_exit/")
# What ./run builds by name.
NAMED = ("all", "loupe_unit_tests", "demo", "demo_watch", "demo_stall", "demo_gnustep")
# Foundation.h comes from the double of the runtime.
FOUNDATION = cross_build.SOURCE / "tests" / "runtime" / "include"
SETTINGS = ("-DLOUPE_BUILD_TESTS=ON", "-DLOUPE_BUILD_BENCH=ON", "-DCMAKE_BUILD_TYPE=Debug",
            "-DCMAKE_C_FLAGS_DEBUG=-O0", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
            f"-DCMAKE_OBJC_FLAGS=-isystem {FOUNDATION}")


def sources(tree):
    """Each source once, whoever compiles it how often, with the first command that does."""
    commands = json.loads(cross_build.run("ninja", "ninja", "-C", tree, "-t", "compdb"))
    found = {}
    for entry in commands:
        if entry["output"].endswith(".o"):
            found.setdefault(entry["file"], entry["command"])
    return found


def is_always_checked(file):
    """Whether a source is shipped, and either nothing else of a run compiles it for a Mac, as the tool and
    the plugin, or it says what it says by the processor."""
    name = os.path.relpath(file, cross_build.SOURCE)
    if name.startswith(OF_TESTS):
        return False
    if not name.startswith(OF_LIBRARIES):
        return True
    with open(file, encoding="utf-8") as text:
        return bool(re.search("arm64|aarch64|x86_64|ptrauth", text.read()))


def chosen(found):
    """Those, and of all else a share (tests/support/share.py)."""
    always = [file for file in sorted(found) if is_always_checked(file)]
    others = share_of(sorted(set(found) - set(always)))
    return {file: found[file] for file in [*always, *others]}


def checked(tree, source, command):
    words = shlex.split(command)
    del words[:next(i for i, word in enumerate(words) if re.match(r"clang(\+\+)?(-\d+)?$",
                                                                  os.path.basename(word)))]
    for option, length in (("-MD", 1), ("-MT", 2), ("-MF", 2), ("-o", 2), ("-c", 1)):
        if option in words:
            at = words.index(option)
            del words[at:at + length]
    done = subprocess.run([*words, "-fsyntax-only"], cwd=tree, capture_output=True, text=True)
    return f"{source}:\n{done.stderr}" if done.returncode else ""


def check(args):
    """The first stage of a build, which finds what this system has and a Mac lacks."""
    cross_build.run("ninja", "ninja", "-C", args.tree, "-n", *NAMED)
    found = sources(args.tree)
    jobs = chosen(found)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = list(filter(None, pool.map(lambda job: checked(args.tree, *job), jobs.items())))
    print(*failed, f"{len(jobs)} sources, {len(failed)} failed", sep="\n")
    return 1 if failed or len(found) < 600 else 0


def main():
    parser = cross_build.common_arguments(__doc__)
    parser.add_argument("--syntax", action="store_true", help="look at each source once, make nothing")
    args = cross_build.parsed(parser)
    cross_build.configure(args, *SETTINGS)
    if args.syntax:
        return check(args)
    cross_build.run("building", "ninja", "-C", args.tree, *NAMED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
