"""Who includes whom: no circle of files, none of folders but those listed, and none of modules inside a folder but
those listed. A module is a header and the source of that name, on whichever system. The lists may only become shorter.

usage: circles.py PROJECT_FOLDER
"""
import pathlib
import re
import sys
from typing import Callable, Dict, Iterable, List, Set

FOLDERS = ("answers", "at_exit", "cli", "core", "helper", "pictures", "plugin", "readers", "record", "rules", "run_tool",
           "stacks", "testing", "verbs", "watch")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
# Folders that include each other, and why they may.
OF_FOLDERS = {
    "helper helper/probe": "the probe reads through the helper's own reader",
}
# Modules that include each other: parts of one thing that were cut for their length, by the first of them.
OF_MODULES = {
    "cli/heaps/opened/heap_file": 2, "core/blocks/block_symbol": 5, "core/heap/allocators/allocation_scan": 2,
    "core/heap/heap_snapshot": 2, "core/leaks/holder_search": 2, "core/questions/answering": 2,
    "core/report/objects/report_cycles": 2, "core/runtime/abi": 2, "core/runtime/freed": 2, "core/scene/parts": 2,
    "core/hprof/hprof": 2, "core/snapshot/native": 2, "core/snapshot/rules/ruled_classes": 2, "core/types/encoding": 2,
    "helper/memory/regions": 2, "readers/image/format": 2, "readers/image/dwarf/line_table": 2, "readers/piped/pages": 3,
    "readers/process/page_map": 2, "readers/target/parts": 2, "stacks/unwind/edges": 2, "watch/objects/clock": 6, "watch/reports/reasons": 2,
}
Graph = Dict[str, Set[str]]


def included(source: pathlib.Path) -> Graph:
    """By file, what it includes of the project's, each as a path in it."""
    files = {str(path.relative_to(source)) for folder in FOLDERS for path in (source / folder).rglob("*")
             if path.suffix in (".c", ".h", ".cpp")}
    roots = ["", *(f"{folder}/" for folder in FOLDERS)]
    graph: Graph = {}
    for name in files:
        text = (source / name).read_text(encoding="utf-8")
        beside = pathlib.PurePosixPath(name).parent
        for include in INCLUDE.findall(text):
            found = [place for place in (str(beside / include), *(root + include for root in roots)) if place in files]
            graph.setdefault(name, set()).update(found[:1])
        graph.setdefault(name, set())
    return graph


def module(name: str) -> str:
    return re.sub(r"(_(?:linux|darwin|other))?\.(?:c|h|cpp)$", "", name)


def folder(name: str) -> str:
    return str(pathlib.PurePosixPath(name).parent)


def grouped(graph: Graph, group: Callable[[str], str]) -> Graph:
    """The same graph of groups, without references of a group to itself."""
    result: Graph = {}
    for name, targets in graph.items():
        mine = group(name)
        result.setdefault(mine, set()).update({group(target) for target in targets} - {mine})
    return result


def reachable(graph: Graph, start: str) -> Set[str]:
    found: Set[str] = set()
    left = list(graph[start])
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += graph.get(name, ())
    return found


def circles(graph: Graph) -> List[List[str]]:
    """Sets of two or more that all reach each other."""
    reached = {name: reachable(graph, name) for name in graph}
    found = {tuple(sorted(other for other in reached[name] if name in reached.get(other, ())))
             for name in graph if name in reached[name]}
    return sorted(list(circle) for circle in found)


def faults(graph: Graph) -> Iterable[str]:
    for circle in circles(graph):
        yield f"files include each other: {' '.join(circle)}"
    of_folders = {" ".join(circle) for circle in circles(grouped(graph, folder))}
    yield from (f"folders include each other: {circle}" for circle in sorted(of_folders - set(OF_FOLDERS)))
    yield from (f"circles.py: these do not include each other any more: {circle}"
                for circle in sorted(set(OF_FOLDERS) - of_folders))
    inside = {name: {target for target in targets if folder(target) == folder(name)} for name, targets in graph.items()}
    of_modules = {circle[0]: circle for circle in circles(grouped(inside, module))}
    for first, circle in of_modules.items():
        if len(circle) > OF_MODULES.get(first, 0):
            yield f"modules include each other: {' '.join(circle)} (there may be {OF_MODULES.get(first, 0)})"
    for first, count in OF_MODULES.items():
        if len(of_modules.get(first, ())) < count:
            yield f"circles.py: the circle of {first} has {len(of_modules.get(first, ()))} by now: OF_MODULES is to say so"


def main(source: pathlib.Path) -> int:
    found = list(faults(included(source)))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


sys.exit(main(pathlib.Path(sys.argv[1])))
