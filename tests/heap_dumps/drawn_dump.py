"""Draws Java heap dumps byte by byte, also broken ones: for tests and as seeds of fuzzers.

    dump = Dump()
    node = dump.add_class("demo/Node", fields=[("next", OBJECT), ("number", INT)])
    first = dump.instance(node, 0x1000, [0x1010, 7])
    dump.root(0x1000)
    dump.bytes()

Ids are whatever the test says; records come in the order in which they are added, classes first.
"""
import struct
import typing

OBJECT, BOOLEAN, CHAR, FLOAT, DOUBLE, BYTE, SHORT, INT, LONG = 2, 4, 5, 6, 7, 8, 9, 10, 11
FORMATS = {BOOLEAN: ">B", CHAR: ">H", FLOAT: ">f", DOUBLE: ">d", BYTE: ">b", SHORT: ">h",
           INT: ">i", LONG: ">q"}
Field = typing.Tuple[str, int]
Static = typing.Tuple[str, int, typing.Any]


class Class(typing.NamedTuple):
    id: int
    name: str
    fields: typing.List[Field]
    superclass: typing.Optional["Class"]

    def all_fields(self) -> typing.List[Field]:
        above = self.superclass.all_fields() if self.superclass else []
        return self.fields + above


class Dump:
    def __init__(self, id_size: int = 8, version: str = "1.0.2", segments: bool = True) -> None:
        self.id_size, self.version, self.segments = id_size, version, segments
        self.outside = bytearray()
        self.heap: typing.List[bytes] = []
        self.strings: typing.Dict[str, int] = {}
        self.class_serial = 0
        self.next_class = 0x700000

    # ---- Parts ----

    def id(self, value: int) -> bytes:
        return value.to_bytes(self.id_size, "big")

    def value(self, kind: int, value: typing.Any) -> bytes:
        return self.id(value) if kind == OBJECT else struct.pack(FORMATS[kind], value)

    def record(self, tag: int, body: bytes, length: typing.Optional[int] = None) -> bytes:
        return struct.pack(">BII", tag, 0, len(body) if length is None else length) + body

    def string(self, text: str) -> int:
        if text not in self.strings:
            self.strings[text] = 0x900000 + len(self.strings)
            self.outside += self.record(1, self.id(self.strings[text]) + text.encode())
        return self.strings[text]

    # ---- Outside of the heap ----

    def load_class(self, class_id: int, name: str) -> int:
        string = self.string(name)
        self.class_serial += 1
        self.outside += self.record(2, struct.pack(">I", self.class_serial) + self.id(class_id) +
                                    struct.pack(">I", 0) + self.id(string))
        return self.class_serial

    def frame(self, frame_id: int, method: str, source: str, class_serial: int, line: int) -> None:
        names = [self.string(method), self.string("()V"), self.string(source)]
        self.outside += self.record(4, self.id(frame_id) + b"".join(map(self.id, names)) +
                                    struct.pack(">Ii", class_serial, line))

    def trace(self, serial: int, thread: int, frames: typing.Sequence[int]) -> None:
        self.outside += self.record(5, struct.pack(">III", serial, thread, len(frames)) +
                                    b"".join(map(self.id, frames)))

    # ---- In the heap ----

    def add_class(self, name: str, fields: typing.Sequence[Field] = (),
                  statics: typing.Sequence[Static] = (),
                  superclass: typing.Optional[Class] = None, class_id: int = 0, loader: int = 0,
                  size: int = 0, domain: int = 0,
                  constants: typing.Sequence[int] = ()) -> Class:
        self.next_class += 0x100
        made = Class(class_id or self.next_class, name, list(fields), superclass)
        self.load_class(made.id, name)
        body = self.id(made.id) + bytes(4) + self.id(superclass.id if superclass else 0)
        body += self.id(loader) + self.id(0) + self.id(domain) + self.id(0) * 2
        body += struct.pack(">IH", size, len(constants))
        for index, constant in enumerate(constants):
            body += struct.pack(">HB", index, OBJECT) + self.id(constant)
        body += struct.pack(">H", len(statics))
        for static, kind, value in statics:
            body += self.id(self.string(static)) + bytes([kind]) + self.value(kind, value)
        body += struct.pack(">H", len(fields))
        for field, kind in fields:
            body += self.id(self.string(field)) + bytes([kind])
        self.heap.append(b"\x20" + body)
        return made

    def instance(self, of: Class, address: int, values: typing.Sequence[typing.Any]) -> int:
        body = b"".join(self.value(kind, value)
                        for (_, kind), value in zip(of.all_fields(), values))
        self.heap.append(b"\x21" + self.id(address) + bytes(4) + self.id(of.id) +
                         struct.pack(">I", len(body)) + body)
        return address

    def array(self, of: Class, address: int, elements: typing.Sequence[int]) -> int:
        self.heap.append(b"\x22" + self.id(address) + bytes(4) +
                         struct.pack(">I", len(elements)) + self.id(of.id) +
                         b"".join(map(self.id, elements)))
        return address

    def primitives(self, kind: int, address: int, values: typing.Sequence[typing.Any]) -> int:
        self.heap.append(b"\x23" + self.id(address) + bytes(4) +
                         struct.pack(">IB", len(values), kind) +
                         b"".join(self.value(kind, value) for value in values))
        return address

    def root(self, address: int, tag: int = 0xff, *more: int) -> None:
        """more: what follows, four bytes each; of a JNI global the id of its reference."""
        rest = self.id(more[0]) if tag == 0x01 else b"".join(struct.pack(">I", n) for n in more)
        self.heap.append(bytes([tag]) + self.id(address) + rest)

    def heap_info(self, number: int, name: str) -> None:
        """What follows in the same segment is in that heap of Android's runtime."""
        self.heap.append(b"\xfe" + struct.pack(">I", number) + self.id(self.string(name)))

    def raw(self, record: bytes) -> None:
        self.heap.append(record)

    # ---- The file ----

    def header(self) -> bytes:
        return (b"JAVA PROFILE " + self.version.encode() + b"\0" +
                struct.pack(">IQ", self.id_size, 1_700_000_000_000))

    def body(self) -> bytes:
        heap = b"".join(self.heap)
        if not self.segments:
            return self.record(0x0c, heap)
        half = len(self.heap) // 2
        return (self.record(0x1c, b"".join(self.heap[:half])) +
                self.record(0x1c, b"".join(self.heap[half:])) + self.record(0x2c, b""))

    def bytes(self) -> bytes:
        return self.header() + self.outside + self.body()


# ---- Heaps that several tests ask about ----


def with_java_basics(dump: Dump) -> typing.Dict[str, Class]:
    """The classes that every Java heap has."""
    root = dump.add_class("java/lang/Object")
    made = {"Object": root}
    made["Class"] = dump.add_class("java/lang/Class", [("name", OBJECT)], superclass=root)
    made["String"] = dump.add_class("java/lang/String", [("value", OBJECT), ("coder", BYTE)],
                                    superclass=root)
    made["Object[]"] = dump.add_class("[Ljava/lang/Object;", superclass=root)
    made["Thread"] = dump.add_class("java/lang/Thread", [("name", OBJECT)], superclass=root)
    made["Reference"] = dump.add_class("java/lang/ref/Reference",
                                       [("referent", OBJECT), ("queue", OBJECT)], superclass=root)
    made["WeakReference"] = dump.add_class("java/lang/ref/WeakReference",
                                           superclass=made["Reference"])
    return made


def ring(id_size: int = 8, version: str = "1.0.2", segments: bool = True) -> Dump:
    """A thread "main" in demo.Main.run holds a Node that is in a ring of three, and the caller of that,
    demo.Main.main, a Local; a static field holds an array with the second Node at [2]; a weak
    reference leads to a Node that is held by nothing."""
    dump = Dump(id_size, version, segments)
    basics = with_java_basics(dump)
    node = dump.add_class("demo/Node", [("next", OBJECT), ("number", INT)],
                          superclass=basics["Object"], size=20)
    main = dump.add_class("demo/Main", statics=[("cache", OBJECT, 0x2000), ("count", LONG, 5)],
                          superclass=basics["Object"])
    serial = dump.load_class(main.id, "demo/Main")
    dump.frame(0x501, "run", "Main.java", serial, 12)
    dump.frame(0x502, "main", "Main.java", serial, 34)
    dump.trace(3, 1, [0x501, 0x502])
    for number in range(3):
        dump.instance(node, 0x1000 + 0x20 * number, [0x1000 + 0x20 * ((number + 1) % 3), number])
    dump.array(basics["Object[]"], 0x2000, [0, 0, 0x1020, 0])
    dump.instance(node, 0x1080, [0, -9])
    dump.instance(basics["WeakReference"], 0x1100, [0x1080, 0])
    dump.instance(basics["String"], 0x1200, [0x1240, 0])
    dump.primitives(BYTE, 0x1240, list(b"main"))
    dump.instance(basics["Thread"], 0x1300, [0x1200])
    dump.instance(dump.add_class("demo/Local", superclass=basics["Object"]), 0x1400, [])
    dump.root(0x1300, 0x08, 1, 3)
    dump.root(0x1400, 0x03, 1, 1)
    dump.root(0x1000, 0x03, 1, 0)
    dump.root(0x1100, 0x01, 0xabc0)
    dump.root(main.id, 0x05)
    return dump


def by_an_agent(id_size: int = 8) -> Dump:
    """As the hprof agent writes heaps (1.0.1, one record): a class with constants and a protection
    domain, a plugin that its instance alone keeps, threads with locals of all kinds, no class that is a
    root."""
    dump = Dump(id_size, "1.0.1", segments=False)
    basics = with_java_basics(dump)
    loader = dump.add_class("demo/Loader", [("parent", OBJECT)], superclass=basics["Object"])
    plugin = dump.add_class("demo/Plugin", [("own", OBJECT)], [("cache", OBJECT, 0x5000)],
                            superclass=basics["Object"], loader=0x4000, domain=0x4100,
                            constants=[0x5100, 0, 0x5120])
    array = dump.add_class("[Ldemo/Plugin;", superclass=basics["Object"], loader=0x4200)
    dump.add_class("[B", superclass=basics["Object"])
    for name in ("Soft", "Final", "Phantom"):
        dump.add_class(f"java/lang/ref/{name}Reference", superclass=basics["Reference"])
    dump.instance(loader, 0x4000, [0])
    dump.instance(loader, 0x4200, [0x5200])
    dump.array(basics["Object[]"], 0x4100, [0x5180])
    for address in (0x5000, 0x5100, 0x5120, 0x5180, 0x5200, 0x6000, 0x6020, 0x6040, 0x6060):
        dump.primitives(BYTE, address, [1] * (address >> 5 & 15))
    dump.instance(plugin, 0x4400, [0x6000])
    dump.array(array, 0x4500, [0x4400])
    dump.instance(basics["WeakReference"], 0x4600, [0x6060, 0])
    for number in range(2):
        thread = 0x4700 + 0x20 * number
        dump.instance(basics["Thread"], thread, [0])
        dump.root(thread, 0x08, number + 1, 0)
        dump.root(0x6020, 0x03, number + 1, 0xffffffff)
    dump.root(0x4500, 0x03, 1, 0xffffffff)
    dump.root(0x4600, 0x02, 2, 0xffffffff)
    dump.root(0x6040, 0x06, 2)
    dump.root(0x6040, 0x04, 9)  # of a thread that is not there
    return dump
