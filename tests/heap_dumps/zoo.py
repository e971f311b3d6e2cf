"""Dumps of one program (zoo/Zoo.java) by Java virtual machines that lay out their heaps differently.

The machines are the one that is installed, and a newer one where there is one in /usr/lib/jvm: what it
does not have, or refuses, is left out and said.
"""
import pathlib
import re
import subprocess
import typing

import java

HERE = pathlib.Path(__file__).resolve().parent
PRIMITIVES = {"B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long",
              "S": "short", "Z": "boolean"}
WIDE_CLASSES, WIDE = "-XX:-UseCompressedClassPointers", "-XX:-UseCompressedOops"
ALIGNED_16, COMPACT = "-XX:ObjectAlignmentInBytes=16", "-XX:+UseCompactObjectHeaders"


class Flavour(typing.NamedTuple):
    collector: str
    options: typing.Sequence[str] = ()
    objects: int = 2000
    threads: int = 3
    is_newer: bool = False  # of the newest machine in /usr/lib/jvm


FLAVOURS = {
    "serial": Flavour("Serial"),
    "wide classes": Flavour("Serial", [WIDE_CLASSES]),
    "wide": Flavour("Serial", [WIDE]),
    "wide both": Flavour("Serial", [WIDE, WIDE_CLASSES]),
    "aligned 16": Flavour("Serial", [ALIGNED_16]),
    "aligned 16, wide": Flavour("Serial", [ALIGNED_16, WIDE]),
    "aligned 16, wide classes": Flavour("Serial", [ALIGNED_16, WIDE_CLASSES]),
    "parallel": Flavour("Parallel"),
    "parallel, wide both": Flavour("Parallel", [WIDE, WIDE_CLASSES]),
    "G1": Flavour("G1"),
    "G1, wide classes": Flavour("G1", [WIDE_CLASSES]),
    "G1, aligned 16": Flavour("G1", [ALIGNED_16]),
    "Z": Flavour("Z"),
    "Z, wide classes": Flavour("Z", [WIDE_CLASSES]),
    "Shenandoah": Flavour("Shenandoah"),
    "Shenandoah, wide": Flavour("Shenandoah", [WIDE]),
    "400 threads": Flavour("Serial", objects=1000, threads=400),
    "newer serial": Flavour("Serial", is_newer=True),
    "newer wide classes": Flavour("Serial", [WIDE_CLASSES], is_newer=True),
    "newer G1 wide both": Flavour("G1", [WIDE, WIDE_CLASSES], is_newer=True),
    "newer compact": Flavour("Serial", [COMPACT], is_newer=True),
    "newer compact wide": Flavour("Serial", [COMPACT, WIDE], is_newer=True),
    "newer Z": Flavour("Z", is_newer=True),
}


class Made(typing.NamedTuple):
    dump: pathlib.Path
    histogram: typing.Dict[str, typing.Tuple[int, int]]  # by class: instances, bytes


def readable(name: str) -> str:
    """[Ljava.lang.Object; as java.lang.Object[]"""
    dimensions = len(name) - len(name.lstrip("["))
    element = name[dimensions:]
    if dimensions:
        element = PRIMITIVES.get(element, element[1:-1])
    return element + "[]" * dimensions


def histogram_of(text: str) -> typing.Dict[str, typing.Tuple[int, int]]:
    found: typing.Dict[str, typing.Tuple[int, int]] = {}
    for count, size, name in re.findall(r"^ *\d+: +(\d+) +(\d+) +(\S+)", text, re.M):
        before = found.get(readable(name), (0, 0))
        found[readable(name)] = (before[0] + int(count), before[1] + int(size))
    return found


def newest_machine() -> typing.Optional[pathlib.Path]:
    found = [(int(number[1]), path) for path in pathlib.Path("/usr/lib/jvm").glob("*/bin/jcmd")
             for number in [re.search(r"(\d+)", path.parent.parent.name)] if number]
    newer = [path.parent for version, path in sorted(found) if version > 23]
    return newer[-1] if newer else None


def make(folder: pathlib.Path, flavour: Flavour) -> typing.Optional[Made]:
    """None: there is no such machine here."""
    tools = newest_machine() if flavour.is_newer else pathlib.Path()
    if tools is None:
        return None
    if not (folder / "Zoo.class").exists():
        java.compile_sources(folder, [HERE / "zoo" / "Zoo.java"])
    command = [str(tools / "java") if flavour.is_newer else "java", "-Xmx96m", "-Xlog:disable",
               f"-XX:+Use{flavour.collector}GC", *flavour.options, "-cp", str(folder), "Zoo",
               str(flavour.objects), str(flavour.threads)]
    jcmd = str(tools / "jcmd") if flavour.is_newer else "jcmd"
    dump = folder / "zoo.hprof"
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as zoo:
        assert zoo.stdin and zoo.stdout
        if zoo.stdout.readline() != "ready\n":
            return None
        for words in (["GC.heap_dump", "-overwrite", str(dump)], ["GC.class_histogram"]):
            told = subprocess.run([jcmd, str(zoo.pid), *words], check=True, capture_output=True,
                                  text=True).stdout
        zoo.stdin.close()
    return Made(dump, histogram_of(told))
