"""ARCHITECTURE.md is true of the tree: every folder has one sentence there, files that it names exist, and
core/loupe.h tells the same order of the core's folders. tests/README.md names every folder of tests. No folder has
more files than one can look over.

usage: architecture.py SOURCE_FOLDER
"""
import collections
import pathlib
import re
import subprocess
import sys

import rooms

# Told as one, with what is inside.
WHOLE = {"bench", "cmake", "docs", "examples", "packaging", "tests", "editors/vscode"}
# So many files stand beside each other at most, and in tests, where each is another program: more of them have
# rooms. But for these, and why.
MOST, MOST_OF_TESTS = 25, 30
LARGE = {
    "docs": "a page's path is its address, to which others have links",
    "tests/cross/darwin_sdk/usr/include": "Apple names these headers, and where they stand",
    "tests/fix/known": "one program for each known mistake, by its name",
    "tests/lldb/live/expected": "one for each fixture, by its name",
}


def files_of_tree(source):
    listed = subprocess.run(["git", "-C", source, "ls-files"], capture_output=True, text=True, check=True).stdout
    return [path for path in listed.splitlines() if not path.startswith(".")]


def folders_of(files):
    """Those with files in them that belong to the project, or with such folders."""
    found = set()
    for path in files:
        parts = path.split("/")[:-1]
        found.update("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    return found


def large(files):
    """Folders in which too many files stand beside each other, and those that are no such folder any more."""
    counts = collections.Counter(path.rpartition("/")[0] for path in files)
    found = {folder for folder, count in counts.items()
             if count > (MOST_OF_TESTS if folder.startswith("tests/") else MOST)}
    yield from (f"{folder} has {counts[folder]} files beside each other: give it rooms" for folder in sorted(found - set(LARGE)))
    yield from (f"architecture.py: {folder} is not large any more" for folder in sorted(set(LARGE) - found))


def faults(source):
    files = files_of_tree(source)
    told, tree = rooms.folders(source), folders_of(files)
    yield from large(files)
    for folder in sorted(tree):
        is_told = folder in told or any(name.startswith(folder + "/") for name in told)
        if not is_told and not any(folder.startswith(whole + "/") for whole in WHOLE & set(told)):
            yield f"{folder} has no line"
    for folder, sentence in told.items():
        if not (source / folder).is_dir():
            yield f"there is no folder {folder}"
        if not re.fullmatch(r"[A-Z`][^.]*(?:\.\S[^.]*)*\.", sentence):
            yield f"{folder}: not one sentence: {sentence}"
    text = (source / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for path in sorted(set(re.findall(r"`([\w/]+/[\w.]+\.\w+)`", text))):
        if not (source / path).is_file():
            yield f"there is no file {path}"
    yield from other_orders(source)
    readme = (source / "tests" / "README.md").read_text(encoding="utf-8")
    for folder in sorted(tree):
        if re.fullmatch(r"tests/\w+", folder) and f"`{folder[len('tests/'):]}/`" not in readme:
            yield f"tests/README.md has no line for {folder}"


def other_orders(source):
    text = (source / "core" / "loupe.h").read_text(encoding="utf-8")
    match = re.search(r"The folders stand in the order ([\w,\s*]+):", text)
    order = re.findall(r"\w+", match[1]) if match else []
    if order != rooms.folders_of_core(source):
        yield f"core/loupe.h has another order of the core's folders: {', '.join(order)}"


def main(source):
    if not (source / ".git").exists():
        print("skipped: no checkout, which knows the files of the project")
        return 77
    found = list(faults(source))
    print(*found, f"{len(rooms.folders(source))} folders", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
