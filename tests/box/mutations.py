"""Faults put into what is for Darwin alone, one at a time, and whether a test finds each.

    mutations.py FOLDER [--list] [--only NUMBER,...] [--seed NUMBER]

The tracked files of this tree, as they are, are copied to FOLDER, which gets a build of its own. From all places
in `*_darwin.c` where a condition can be turned, an offset can be 8 more or a call can be left out, 40 are taken: as
many from each file as it has of them, by the seed. Each is built and tested by the unit tests of these files and by
the box; a fault that the compiler refuses (with -Werror) makes place for another one. Exit status 1: fewer than 36 are
found.
"""
import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time
from typing import Iterator, List, NamedTuple, Optional

PROJECT = pathlib.Path(__file__).resolve().parents[2]
WANTED, ENOUGH, TIMEOUT = 40, 36, 1200
UNIT_TESTS = r"^(helper\.(images|regions|threads|zones)_darwin|stacks\.mach_threads|record\.malloc_darwin)$"
UNIT_TARGETS = ("helper_test_images_darwin", "helper_test_regions_darwin", "helper_test_threads_darwin",
                "helper_test_zones_darwin", "stacks_test_mach_threads", "record_malloc_darwin")
BOX_TESTS = ("-L", "box", "-LE", "lldb|elf|slow")
TURNED = {"==": "!=", "!=": "==", "<=": ">", ">=": "<", "<": ">=", ">": "<=", "&&": "||", "||": "&&"}


class Mutation(NamedTuple):
    file: str
    line: int  # from 0 on
    start: int
    end: int
    text: str  # what stands there instead
    kind: str

    def apply(self, content: str) -> str:
        lines = content.split("\n")
        line = lines[self.line]
        lines[self.line] = line[:self.start] + self.text + line[self.end:]
        return "\n".join(lines)


# ---- The list ----

def blanks(match: "re.Match[str]") -> str:
    return re.sub(r"[^\n]", " ", match.group())


def code_lines(content: str) -> List[str]:
    """Each line without comments, directives, texts and what is not compiled for x86-64, but as long as it is."""
    content = re.sub(r"^#if defined\(__aarch64__\).*?^#(?=el|end)", blanks, content, flags=re.S | re.M)
    return re.sub(r"/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|^#[^\n]*", blanks, content, flags=re.S | re.M).split("\n")


def mutations_of_line(file: str, number: int, line: str) -> Iterator[Mutation]:
    for match in re.finditer(r" (==|!=|<=|>=|<|>|&&|\|\|)(?= |$)", line):
        yield Mutation(file, number, match.start(1), match.end(1), TURNED[match.group(1)], "turned")
    for match in re.finditer(r"(?<=[(&| ])!(?=[\w(])", line):
        yield Mutation(file, number, match.start(), match.end(), "", "turned")
    for match in re.finditer(r" \+ (?=[\w(])| \+= (?=[\w(])", line):
        yield Mutation(file, number, match.end(), match.end(), "8 + ", "offset")
    if re.match(r"^    +(?:\([a-z_ ]+\))?[a-z]\w*\([^=]*\);$", line):
        start = len(line) - len(line.lstrip())
        yield Mutation(file, number, start, len(line) - 1, "", "dropped")


def mutations_of_file(path: pathlib.Path) -> List[Mutation]:
    name = str(path.relative_to(PROJECT))
    return [mutation for number, line in enumerate(code_lines(path.read_text()))
            for mutation in mutations_of_line(name, number, line)]


def shuffled(seed: int) -> List[Mutation]:
    """All of them, so that each beginning has about as many of each file as the file has of all."""
    keyed = []
    for path in sorted(PROJECT.glob("[hrs]*/**/*_darwin.c")):
        mutations = mutations_of_file(path)
        random.Random(f"{seed} {path.name}").shuffle(mutations)
        keyed += [((place + 0.5) / len(mutations), mutation) for place, mutation in enumerate(mutations)]
    return [mutation for _, mutation in sorted(keyed)]


# ---- Building and testing ----

class Tree:
    def __init__(self, folder: pathlib.Path) -> None:
        self.source, self.build = folder / "source", folder / "source" / "build"
        self.log = folder / "log"

    def prepare(self) -> None:
        names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=PROJECT,
                               check=True, capture_output=True, text=True).stdout.split("\0")
        for name in filter(None, names):
            target = self.source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists() or target.read_bytes() != (PROJECT / name).read_bytes():
                shutil.copy(PROJECT / name, target)
        if not self.run("cmake", "-S", str(self.source), "-B", str(self.build), "-G", "Ninja", "-DLOUPE_WERROR=ON"):
            sys.exit(f"mutations: cannot configure {self.build} ({self.log})")
        if not self.compiles("loupe_box_tests", *UNIT_TARGETS) or self.finds():
            sys.exit(f"mutations: without any fault the tests fail, or are not built ({self.log})")

    def run(self, *command: str) -> bool:
        with self.log.open("a") as log:
            return subprocess.run(command, stdout=log, stderr=log, timeout=TIMEOUT, check=False).returncode == 0

    def compiles(self, *targets: str) -> bool:
        return self.run("ninja", "-C", str(self.build), *targets)

    def fails(self, *tests: str) -> bool:
        """A test that does not end has failed, too."""
        return not self.run("ctest", "--test-dir", str(self.build), "--stop-on-failure", "--timeout", "120", "-j2", *tests)

    def finds(self) -> Optional[bool]:
        """Whether a test fails; None: it cannot be built. What is quick comes first."""
        if not self.compiles(*UNIT_TARGETS):
            return None
        if self.fails("-R", UNIT_TESTS):
            return True
        return self.fails(*BOX_TESTS) if self.compiles("loupe_box_product") else None

    def finds_in(self, mutation: Mutation) -> Optional[bool]:
        path = self.source / mutation.file
        content = path.read_text()
        path.write_text(mutation.apply(content))
        try:
            return self.finds()
        finally:
            path.write_text(content)


def tell(number: int, mutation: Mutation, result: str) -> None:
    line = (PROJECT / mutation.file).read_text().split("\n")[mutation.line]
    mark = line[:mutation.start].lstrip() + "[" + line[mutation.start:mutation.end] + "|" + mutation.text + "]"
    print(f"{number:3} {result:9} {mutation.kind:8} {mutation.file}:{mutation.line + 1}: "
          f"{mark}{line[mutation.end:]}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", help="numbers of the list, between commas")
    parser.add_argument("--seed", type=int, default=30)
    arguments = parser.parse_args()
    mutations = shuffled(arguments.seed)
    if arguments.list:
        for number, mutation in enumerate(mutations):
            tell(number, mutation, "")
        return 0
    only = {int(number) for number in arguments.only.split(",")} if arguments.only else None
    arguments.folder.mkdir(parents=True, exist_ok=True)
    tree = Tree(arguments.folder.resolve())
    tree.prepare()
    found = tried = 0
    for number, mutation in enumerate(mutations):
        if tried == WANTED or (only is not None and number not in only):
            continue
        before = time.monotonic()
        result = tree.finds_in(mutation)
        tried += result is not None
        found += result is True
        tell(number, mutation, "refused" if result is None else "found" if result else "SURVIVED")
        tree.log.open("a").write(f"mutation {number}: {time.monotonic() - before:.0f} s\n")
    print(f"{found} of {tried} faults are found by a test")
    return 0 if only is not None or found >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
