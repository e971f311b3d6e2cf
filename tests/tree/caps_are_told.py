"""Every loop that ends on a count of ours says so in the answer, or needs not: a comment on the line above it
says what tells. A loop that is new fails the test until somebody has thought about that.

    /* Cap: three dots. */
    for (uint32_t i = 0; i < SHOWN_ELEMENTS; i++)

usage: caps_are_told.py PROJECT_FOLDER
"""
import pathlib
import re
import sys
from typing import Iterator, Tuple

FOLDERS = {**dict.fromkeys(("core", "answers", "helper", "readers", "stacks", "cli", "pictures", "watch"), ".c"),
           "plugin": ".cpp", "lldb_commands": ".py"}
CONSTANT = r"\b_?[A-Z][A-Z0-9_]*[A-Z0-9]\b"
COMPARED = re.compile(rf"[<>]=?\s*({CONSTANT})|range\(({CONSTANT})\)")
HEADS = {".py": re.compile(r"^\s*(?:for|while)\b[^:]*(?:\([^)]*\)[^:]*)*:", re.M)}
HEAD_OF_C = re.compile(r"\b(?:for|while)\s*\(")
# Sizes of arrays of ours: the loop visits all of it.
WHOLE = re.compile(r"(_COUNT|WORDS|RANKS|STRIPES|CELLS|SLOTS_OF|PAGES_PER_\w+|PIECES_PER_\w+|AHEAD)$")
MARK = re.compile(r"^ *(?:# Cap: \w.*\.|/\* Cap: \w.*\. \*/)\n", re.M)


def heads(source: str, suffix: str) -> Iterator[Tuple[int, str]]:
    """Where loops begin, and what stands in their heads."""
    if suffix == ".py":
        for match in HEADS[suffix].finditer(source):
            yield match.start() + len(match[0]) - len(match[0].lstrip()), match[0]
        return
    source = source.replace("'('", "' '").replace("')'", "' '")
    for match in HEAD_OF_C.finditer(source):
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(source[end], 0)
            end += 1
        yield match.start(), source[match.end():end - 1]


def is_capped(head: str) -> bool:
    return any(not WHOLE.search(match[1] or match[2]) for match in COMPARED.finditer(head))


def complaints(path: pathlib.Path) -> Iterator[Tuple[int, str]]:
    """By line: loops that nothing tells of, and marks of loops that are not there any more."""
    source = path.read_text(encoding="utf-8")
    marks = {match.end() for match in MARK.finditer(source)}
    loops = {source.rfind("\n", 0, at) + 1 for at, head in heads(source, path.suffix) if is_capped(head)}
    for at in sorted(loops - marks):
        line = source[at:source.find("\n", at)].strip()
        yield source.count("\n", 0, at) + 1, f"{line}: if that ends early, does the answer say so? (Cap: ...)"
    for at in sorted(marks - loops):
        yield source.count("\n", 0, at), "this mark is above no loop that a constant ends"


def main(folder: pathlib.Path) -> int:
    found = [f"{path.relative_to(folder)}:{line}: {text}" for name, suffix in FOLDERS.items()
             for path in sorted((folder / name).rglob(f"*{suffix}")) for line, text in complaints(path)]
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
