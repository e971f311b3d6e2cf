"""Lists of sources in CMake's files are in the order of folders, and of names in each: not in that in which files came.

usage: source_lists.py SOURCE_FOLDER [--write]
"""
import pathlib
import re
import sys

SOURCE = re.compile(r"\s+[\w/.+-]+\.(?:c|cpp|m|mm|S)\s*\)?\s*")


def place(line):
    path = pathlib.PurePosixPath(line.strip().rstrip(")"))
    return path.parts[:-1], path.name


def lists(lines):
    """Where each begins and ends: files that stand one on a line, below each other."""
    begin = None
    for number, line in enumerate([*lines, ""]):
        is_source = SOURCE.fullmatch(line) is not None
        if is_source and begin is None:
            begin = number
        if begin is not None and (not is_source or line.rstrip().endswith(")")):
            yield begin, number + is_source
            begin = None


def in_order(lines):
    ordered = list(lines)
    for begin, end in lists(lines):
        closes = lines[end - 1].rstrip().endswith(")")
        names = sorted((line.rstrip().rstrip(")") for line in lines[begin:end]), key=place)
        names[-1] += ")" if closes else ""
        ordered[begin:end] = names
    return ordered


def main(source, *options):
    wrong = []
    for path in sorted(pathlib.Path(source).rglob("CMakeLists.txt")):
        if "build" in path.relative_to(source).parts[0]:
            continue
        lines = path.read_text(encoding="utf-8").split("\n")
        ordered = in_order(lines)
        if "--write" in options:
            path.write_text("\n".join(ordered), encoding="utf-8")
        else:
            wrong += [f"{path.relative_to(source)}:{number}: {line.strip()}: expected here is {wanted.strip()}"
                      for number, (line, wanted) in enumerate(zip(lines, ordered), start=1) if line != wanted][:1]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
