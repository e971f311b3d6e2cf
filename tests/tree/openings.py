"""Every source says in its first lines what it is: by a sentence, or by including first the header of its own
name, which does.

usage: openings.py SOURCE_FOLDER
"""
import pathlib
import re
import sys

FOLDERS = ("answers", "at_exit", "cli", "core", "helper", "pictures", "plugin", "readers", "record", "run_tool", "stacks",
           "testing", "verbs", "watch")
SUFFIXES = {".c", ".h", ".cpp", ".def"}


def opens_with_a_sentence(path):
    text = path.read_text(encoding="utf-8").lstrip()
    if text.startswith(("/*", "//")):
        return True
    first = re.search(r'^#include "([^"]+)"', text, re.M)
    return path.suffix != ".h" and first is not None and pathlib.PurePath(first[1]).stem == path.stem


def main(source):
    silent = [str(path.relative_to(source)) for folder in FOLDERS for path in sorted((source / folder).rglob("*"))
              if path.suffix in SUFFIXES and not opens_with_a_sentence(path)]
    print(*(f"{path} does not say what it is" for path in silent), sep="\n")
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
