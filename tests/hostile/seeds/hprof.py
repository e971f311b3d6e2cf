"""Small heap dumps of every kind, whole and damaged, for fuzz_hprof.c: one line each."""
import pathlib
import struct
import sys
import typing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "heap_dumps"))
from drawn_dump import Dump, OBJECT, ring, with_java_basics  # noqa: E402


def android() -> Dump:
    dump = Dump(4, "1.0.3")
    basics = with_java_basics(dump)
    dump.heap_info(65, "app")
    dump.array(basics["Object[]"], 0x71, [0x73, 0x75, 0])
    for tag in (0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x90):
        dump.root(0x71, tag)
    dump.root(0x71, 0x8e, 1, 2)
    dump.heap_info(90, "zygote")
    dump.raw(b"\xc3" + dump.id(0x73) + struct.pack(">IIB", 0, 9, 10))
    return dump


def far_apart() -> Dump:
    dump = Dump(8)
    basics = with_java_basics(dump)
    for number in range(80):
        dump.array(basics["Object[]"], number << 40 | 1, [(number * 7 % 80) << 40 | 1])
    dump.root(1)
    return dump


def odd_classes() -> Dump:
    """A superclass of itself, one of no dump, and an object twice."""
    dump = Dump(4)
    first = dump.add_class("a/First", [("x", OBJECT)], class_id=0x500)
    loop = dump.add_class("a/Loop", [("y", OBJECT)], superclass=first._replace(id=0x700200))
    dump.instance(loop, 0x10, [0x20])
    dump.instance(first, 0x10, [0x10])
    dump.instance(first._replace(id=0x999), 0x20, [0x10])
    return dump


def all_dumps() -> typing.List[bytes]:
    whole = [ring().bytes(), ring(4, "1.0.1", False).bytes(), android().bytes(),
             odd_classes().bytes(), far_apart().bytes(), ring(4).bytes()]
    twice = ring(4)
    whole.append(twice.bytes() + twice.body())
    return whole + [whole[0][:len(whole[0]) * part // 8] for part in range(1, 8)]


def line(data: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in data)


if __name__ == "__main__":
    for made in all_dumps():
        print(line(made))
