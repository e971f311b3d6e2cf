"""What README.md and docs/ show as printed is printed: each sample of output is compared by a test that is named here,
by its page and its first line. Blocks of lines to be typed are no samples.

usage: samples.py PROJECT_FOLDER
"""
import pathlib
import re
import sys
from typing import Dict, Iterator, List, Tuple

LIVE = "tests/lldb/live/"
# By page: the first line of a sample, or its beginning; the test that compares it.
COMPARED: Dict[str, List[Tuple[str, str]]] = {
    "README.md": [("(lldb) retain-cycles screen", LIVE + "hosts/test_readme.py")],
    "docs/commands.md": [("(lldb) loupe break ", LIVE + "running/test_break.py")],
    "docs/explain.md": [("$ loupe explain ", "tests/cli/test_readme.py")],
    "docs/fix.md": [("$ loupe ", "tests/cli/test_fix.py"), ("(lldb) loupe fix 1a", LIVE + "cycles/test_fix.py")],
    "docs/hangs.md": [("$ LOUPE_STALLS=0.4 ", LIVE + "hosts/test_samples.py")],
    "docs/history.md": [("(lldb) loupe history thing", LIVE + "hosts/test_samples.py")],
    "docs/incoming.md": [("(lldb) strong-refs --incoming button", LIVE + "hosts/test_readme.py"),
                         ("(lldb) strong-refs --incoming ", LIVE + "answers/test_incoming.py")],
    "docs/java_heap.md": [("$ loupe suspects app.hprof", "tests/heap_dumps/test_verbs.py")],
    "docs/leaks.md": [("(lldb) loupe leaks", LIVE + "hosts/test_samples.py"), ("145 known leaks of ", "tests/leaks/test_known.py"),
                      ("5 dangling references, ", "tests/leaks/test_dangling.py"),
                      ("0x55555555e2f0 was freed: ", "tests/leaks/test_dangling.py")],
    "docs/leaks_at_exit.md": [("$ LD_PRELOAD=", LIVE + "hosts/test_samples.py")],
    "docs/recording.md": [("$ loupe leaks core", LIVE + "hosts/test_samples.py")],
    "docs/tour.md": [("(lldb) ", LIVE + "hosts/test_samples.py")],
    "docs/watch.md": [("$ LD_PRELOAD=libloupe_watch.so ", LIVE + "hosts/test_samples.py")],
}
# What no test can compare, or what is no output: why.
OTHERS = {
    ("docs/cycles.md", "Router._current -> Screen"): "a file of filters, which lldb/live/hosts/test_readme.py reads",
    ("docs/cycles.md", " 1 search "): "a drawing",
    ("docs/exports.md", "PhotoScreen 55555555e2f0"): "printed by VisualVM's library; exports/test_visualvm.py compares all objects",
    ("docs/rules.md", "leaking "): "rules",
    ("docs/on_a_mac.md", "$ "): "lines to type on a Mac, one of them in several lines",
}
TYPED = re.compile(r"\$ |\(lldb\) |(\./run|cmake|loupe|lldb|LOUPE_\w+=\S+) ")


def samples(text: str) -> Iterator[Tuple[str, List[str]]]:
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        lines = block.splitlines()
        if language in ("", "console", "text") and any(not TYPED.match(line) for line in lines if line.strip()):
            yield lines[0], lines


def problems(root: pathlib.Path) -> Iterator[str]:
    met = set()
    for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        page = path.relative_to(root).as_posix()
        for first, _ in samples(path.read_text(encoding="utf-8")):
            known = [(page, begun) for begun, _ in COMPARED.get(page, []) if first.startswith(begun)]
            known += [key for key in OTHERS if key[0] == page and first.startswith(key[1])]
            met.update(known)
            if not known:
                yield f"{page}: no test compares the sample that begins with: {first}"
    every = {(page, begun) for page, rows in COMPARED.items() for begun, _ in rows} | set(OTHERS)
    for page, begun in sorted(every - met):
        yield f"tests/tree/samples.py: {page} has no sample that begins with: {begun}"
    for page, rows in COMPARED.items():
        for _, test in rows:
            name = re.escape(pathlib.PurePath(page).stem)
            if not re.search(rf"\b{name}\b", (root / test).read_text(encoding="utf-8")):
                yield f"tests/tree/samples.py: {test} does not speak of {page}"


def main() -> int:
    found = list(problems(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
