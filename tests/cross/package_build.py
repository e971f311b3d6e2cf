"""Compiles what Package.swift lists for Apple's systems, with its settings, without CMake.

usage: package_build.py CLANG SOURCE_DIR TARGET...
Exits with 77 when clang is missing.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys


def strings(text, list_of):
    return re.findall(r'"([^"]+)"', re.search(list_of + r"(.*?)\]", text, re.S)[1])


def listed(source_dir, package):
    """What is compiled on a system that is not Linux."""
    left_out = set(strings(package, r"#else\s*let ofOtherSystems = \["))
    left_out |= set(strings(package, r"exclude: ofOtherSystems \+ \["))
    for name in strings(package, r"sources: \["):
        path = source_dir / name
        for file in [path] if path.is_file() else sorted(path.rglob("*.[cS]")):
            relative = str(file.relative_to(source_dir))
            if not any(relative == out or relative.startswith(out + "/") for out in left_out):
                yield relative


def settings(package):
    yield "-std=" + re.search(r"cLanguageStandard: \.(\w+)", package)[1]
    for name in re.findall(r'\.define\("(\w+)"', package):
        yield f"-D{name}="
    for folder in re.findall(r'\.headerSearchPath\("([^"]+)"\)', package):
        yield f"-I{folder}"


def main():
    clang, source_dir, *targets = sys.argv[1:]
    if clang.endswith("NOTFOUND"):
        print("skipped: clang is not installed")
        return 77
    source_dir = pathlib.Path(source_dir)
    package = (source_dir / "Package.swift").read_text()
    files, flags = list(listed(source_dir, package)), list(settings(package))

    def compiled(job):
        target, file = job
        return subprocess.run(
            [clang, f"--target={target}", "-isysroot", "tests/cross/darwin_sdk", *flags,
             "-Werror", "-fsyntax-only", file],
            cwd=source_dir, capture_output=True, text=True)

    jobs = [(target, file) for target in targets for file in files]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failed = [done for done in pool.map(compiled, jobs) if done.returncode]
    for done in failed:
        print(done.stderr)
    print(f"{len(files)} files for each of {len(targets)} targets, {len(failed)} failed")
    return 1 if failed or len(files) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
