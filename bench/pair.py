"""Two build trees, one against the other: which rows of the benches got slower.

usage: pair.py OLD_TREE NEW_TREE [--rounds N] [--only BENCHES] [--largest OBJECTS]

Runs the programs of bench/graph, bench/helper, bench/snapshot and bench/heap_dumps that both trees
have (LOUPE_BUILD_BENCH=ON, Release) by turns, each tree first in every other round, on cores and
heap dumps that are made once for both. A row has the medians of both, the median of the ratios of
the rounds, new to old, and its noise: how far those ratios are from their median, in the median, or
the last digit that the bench prints. WORSE is what is over 3 % beyond its noise, of what is ours;
then the exit status is 1.
"""
import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

HERE = os.path.dirname(os.path.abspath(__file__))
ALLOWED = 0.03
YARDSTICKS = ("mark", "once", "one pass")  # rows that end so are not ours, and tell how alike the runs were
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
Rows = Iterator[Tuple[str, str]]  # a number as it is printed


# ---- What the benches print, as rows ----

def numbers(line: str) -> List[str]:
    return NUMBER.findall(line)


def of_graph(lines: List[str]) -> Rows:
    """Nanoseconds an object."""
    shape = ""
    for line in lines:
        if line.endswith(" heap"):
            shape = line[:-len(" heap")]
        parts = line.split("|")
        size = line.split()[0] if line.split() else ""
        if len(parts) == 5 and size.isdigit():
            for name, value in zip(("build", "pass", "knots", "counts", "rings", "fixes", "whole"),
                                   numbers(parts[1])):
                yield f"{shape} {size} {name}", value


def of_walk(lines: List[str]) -> Rows:
    """Milliseconds."""
    for line in lines:
        words = re.split(r"(no knot|one knot|many knots)", line)
        if len(words) == 3:
            for name, value in zip(("mark", "walk", "cycles", "whole", "count"), numbers(words[2])):
                yield f"{words[1]} {words[0].strip()} {name}", value


def of_collections(lines: List[str]) -> Rows:
    for line in lines:
        values = numbers(line)
        if len(values) == 6:
            for name, value in zip(("walk", "cycles", "whole"), values[1:]):
                yield f"{values[0]} {name}", value


def of_snapshot(lines: List[str]) -> Rows:
    for line in lines:
        values = numbers(line)
        yield f"{values[0]} snapshot", values[1]
        yield f"{values[0]} mark", values[2]


def of_core(lines: List[str]) -> Rows:
    values = numbers(lines[-1])
    yield "leaks", values[2]
    yield "one pass", values[3]
    yield "bytes a block", values[4]


def of_dumps(lines: List[str]) -> Rows:
    names = ("once", "records", "reading", "paths", "owners", "together", "cycles", "memory", None,
             "open again", "a path")
    for line in lines[1:]:
        dump, *values = line.replace(".hprof", "").split()
        for name, value in zip(names, values[2:]):
            if name:
                yield f"{dump} {name}", value


class Bench(NamedTuple):
    name: str
    program: str  # in bench/ of a tree
    arguments: List[str]
    rows: Callable[[List[str]], Rows]


# ---- What is made once ----

def environment_of(tree: str) -> Dict[str, str]:
    """What a tree that was moved has for its libraries' paths may be another one's."""
    return {**os.environ, "LD_LIBRARY_PATH": f"{tree}/helper:{tree}/tests/runtime"}


def make_core(tree: str, folder: str, program: str, *arguments: str) -> Optional[str]:
    """Of a program that prints its number and waits."""
    if not os.access(f"{tree}/bench/{program}", os.X_OK):
        return None
    with subprocess.Popen([f"{tree}/bench/{program}", *arguments], stdout=subprocess.PIPE,
                          env=environment_of(tree)) as waiting:
        try:
            assert waiting.stdout
            waiting.stdout.readline()
            done = subprocess.run(["gcore", "-o", f"{folder}/{program}", str(waiting.pid)],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        except FileNotFoundError:
            return None
        finally:
            waiting.send_signal(signal.SIGKILL)
    return None if done.returncode else f"{folder}/{program}.{waiting.pid}"


def make_dumps(folder: str, largest: int) -> List[str]:
    dumps = []
    try:
        subprocess.run(["javac", "-d", folder, f"{HERE}/heap_dumps/Heaps.java"], check=True)
        for shape, objects in (("tangled", largest // 10), ("tangled", largest), ("deep", largest // 5),
                               ("ladder", largest // 5)):
            dumps.append(f"{folder}/{shape}_{objects}.hprof")
            subprocess.run(["java", "-Xmx8g", "-cp", folder, "Heaps", shape, str(objects), dumps[-1]],
                           check=True)
    except FileNotFoundError:
        return []
    return dumps


def sizes(largest: int, times_smaller: int) -> List[str]:
    return [str(largest // times_smaller // 10), str(largest // times_smaller)]


def all_benches(tree: str, folder: str, largest: int, wanted: Callable[[str], object]) -> Iterator[Bench]:
    yield Bench("graph", "graph", [str(largest)], of_graph)
    for runtime in ("", "_libobjc2", "_gcc"):
        yield Bench(f"helper{runtime}", f"helper_walk{runtime}", sizes(largest, 10), of_walk)
        yield Bench(f"collections{runtime}", f"helper_collections{runtime}", sizes(largest, 80),
                    of_collections)
    for blocks in sizes(largest, 1):
        yield Bench("snapshot", "heap_snapshot", [blocks], of_snapshot)
    for name, program, *more in (("core of malloc blocks", "leaking_blocks"),
                                 ("core of half objects", "heap_snapshot", "wait")):
        core = make_core(tree, folder, program, str(largest), *more) if wanted(name) else None
        if core:
            yield Bench(name, "snapshot_of_core", [core], of_core)
    dumps = make_dumps(folder, largest) if wanted("heap dumps") else []
    if dumps:
        yield Bench("heap dumps", "heap_dumps", dumps, of_dumps)


def benches_of_both(trees: List[str], folder: str, options: argparse.Namespace) -> Iterator[Bench]:
    for bench in all_benches(trees[1], folder, options.largest, options.only.search):
        missing = [tree for tree in trees if not os.access(f"{tree}/bench/{bench.program}", os.X_OK)]
        if missing:
            print(f"left out: {bench.name}, not built in {', '.join(missing)}")
        elif options.only.search(bench.name):
            yield bench


# ---- Rounds ----

def run(tree: str, bench: Bench) -> Dict[str, str]:
    done = subprocess.run([f"{tree}/bench/{bench.program}", *bench.arguments], stdout=subprocess.PIPE,
                          env=environment_of(tree), check=True)
    return {f"{bench.name}: {row}": value
            for row, value in bench.rows(done.stdout.decode().splitlines())}


Pairs = Dict[str, List[Tuple[str, str]]]  # of old and new, by row and round


def run_all(trees: List[str], benches: List[Bench], rounds: int) -> Pairs:
    pairs: Pairs = {}
    for number in range(rounds):
        started = time.monotonic()
        for bench in benches:
            order = trees if number % 2 == 0 else trees[::-1]
            found = {tree: run(tree, bench) for tree in order}
            for row, old in found[trees[0]].items():
                pairs.setdefault(row, []).append((old, found[trees[1]][row]))
        print(f"round {number + 1} of {rounds}: {time.monotonic() - started:.0f} s, load "
              f"{os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    return pairs


def last_digit(number: str) -> float:
    return float(10 ** -len(number.partition(".")[2]))


def report(pairs: Pairs) -> int:
    """How many rows are worse."""
    worse = 0
    print(f"{'row':50}{'old':>11}{'new':>11}{'ratio':>8}{'noise':>8}")
    for row, values in pairs.items():
        old, new = (statistics.median(float(number) for number in both) for both in zip(*values))
        ratios = [float(one[1]) / float(one[0]) if float(one[0]) else 1.0 for one in values]
        ratio = statistics.median(ratios)
        noise = max(statistics.median(abs(one - ratio) for one in ratios),
                    last_digit(values[0][0]) / old if old else 1.0)
        is_worse = ratio > 1 + ALLOWED + noise and not row.endswith(YARDSTICKS)
        worse += is_worse
        print(f"{row:50}{old:11.3f}{new:11.3f}{ratio:8.3f}{noise:8.3f}{'  WORSE' if is_worse else ''}")
    print(f"{worse} of {len(pairs)} rows are worse by more than {ALLOWED:.0%} beyond their noise")
    return worse


def main() -> int:
    about, _, rest = (__doc__ or "").partition("usage: ")
    parser = argparse.ArgumentParser(usage=rest.partition("\n")[0], description=about)
    parser.add_argument("trees", nargs=2)
    parser.add_argument("--rounds", type=int, default=7, help="default: 7")
    parser.add_argument("--only", default="", type=lambda words: re.compile(words), metavar="BENCHES",
                        help="those whose names match, such as 'graph|core'")
    parser.add_argument("--largest", type=int, default=1000000, metavar="OBJECTS",
                        help="of graphs, cores and dumps; the helper walks a tenth (default: 1000000)")
    options = parser.parse_args()
    trees = [os.path.abspath(tree) for tree in options.trees]
    with tempfile.TemporaryDirectory() as folder:
        benches = list(benches_of_both(trees, folder, options))
        return 1 if report(run_all(trees, benches, options.rounds)) else 0


if __name__ == "__main__":
    sys.exit(main())
