"""One author: what a verdict, a degree and an advice are called in words for people stands in answers/
and nowhere else, so that outputs and hosts cannot come to say different things.

LEFT is what is still said elsewhere, by file: so many literals. It may only become shorter.

usage: one_author.py PROJECT_FOLDER
"""
import pathlib
import re
import sys
from typing import Iterator

FOLDERS = ("at_exit", "cli", "core", "helper", "lldb_commands", "pictures", "plugin", "run_tool", "testing", "watch")
SUFFIXES = {".c", ".cpp", ".js", ".py"}
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'')
# The ends of lines and what joins literals, so that a sentence on several lines is one.
JOINED = re.compile(r'"\s*\n\s*f?"')
SENTENCES = re.compile("|".join((
    r"keeps? (?:it|itself|them) alive", r"(?:retains?|retain) itself", r"outside the cycle", r"\bFix(?:es)?(?: that|, best|, all of these|:)",
    r"\bbreaks? (?:the|a|all|every|this) (?:whole )?(?:ring|knot|loop|cycle)", r"\bcapture .* weakly", r"\bmake .* weak\b",
    r"to nil when", r"is no longer needed", r"a weak wrapper", r"held only by (?:its|their) timer", r"stack or register values",
    r"none retains it", r"(?:release|releases) (?:is|are) missing", r"misses (?:a|%u) release", r"pointed to but not owned",
    r"may not own their objects", r"have no type, so", r"Known mistake", r"Evidence (?:for|against)")))
LEFT = {
    "core/graph/object_verdict.c": 2,  # the reason of a verdict is text in the protocol
}


def literals(path: pathlib.Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/|^\s*//.*$", "", text, flags=re.S | re.M) if path.suffix != ".py" \
        else re.sub(r'""".*?"""|^\s*#.*$', "", text, flags=re.S | re.M)
    for match in LITERAL.finditer(JOINED.sub("", text)):
        yield match[1] or match[2] or ""


def main(source: pathlib.Path) -> int:
    found = {}
    for folder in FOLDERS:
        for path in sorted((source / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                count = sum(SENTENCES.search(text) is not None for text in literals(path))
                if count:
                    found[str(path.relative_to(source))] = count
    faults = [f"{name}: says {count} sentences that answers/ is to say (it may have {LEFT.get(name, 0)})"
              for name, count in found.items() if count > LEFT.get(name, 0)]
    faults += [f"one_author.py: {name} says {found.get(name, 0)} by now: LEFT is to say so"
               for name, count in LEFT.items() if found.get(name, 0) < count]
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
