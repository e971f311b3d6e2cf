"""Reads heap dumps by the format's own description, and in no other way like Loupe: one pass, plain
dictionaries, nothing damaged. For tests that compare.

The format is that of the JDK's hprof agent (demo/jvmti/hprof/src/manual.html of JDK 8); newer virtual
machines write the same.
"""
import dataclasses
import gzip
import pathlib
import struct
import typing

OBJECT = 2
SIZES = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}  # of an object: that of an id
LETTERS = {4: "boolean", 5: "char", 6: "float", 7: "double", 8: "byte", 9: "short", 10: "int",
           11: "long"}
NAMES = dict(zip("ZCFDBSIJ", LETTERS.values()))
# What follows the id of a root: how many numbers of four bytes, or an id.
ROOTS = {0xff: 0, 0x01: -1, 0x02: 2, 0x03: 2, 0x04: 1, 0x05: 0, 0x06: 1, 0x07: 0, 0x08: 2}


class Field(typing.NamedTuple):
    name: str
    kind: int


class Static(typing.NamedTuple):
    name: str
    kind: int
    value: int  # of a reference: its id


@dataclasses.dataclass
class Class:
    id: int
    superclass: int
    loader: int
    signers: int
    domain: int
    size: int
    constants: typing.List[Static]
    statics: typing.List[Static]
    fields: typing.List[Field]
    name: str = ""


class Instance(typing.NamedTuple):
    class_id: int
    body: bytes


class ObjectArray(typing.NamedTuple):
    class_id: int
    elements: typing.List[int]


class PrimitiveArray(typing.NamedTuple):
    kind: int
    length: int


class Root(typing.NamedTuple):
    tag: int
    id: int
    numbers: typing.Tuple[int, ...]  # mostly the thread's serial number, and the frame in its stack


class Frame(typing.NamedTuple):
    class_name: str
    method: str
    source: str
    line: int


class Reader:
    """The bytes, from a place on."""

    def __init__(self, data: bytes, at: int, id_size: int) -> None:
        self.data, self.at, self.id_size = data, at, id_size

    def number(self, size: int) -> int:
        self.at += size
        return int.from_bytes(self.data[self.at - size:self.at], "big")

    def id(self) -> int:
        return self.number(self.id_size)

    def take(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size:self.at]

    def value(self, kind: int) -> int:
        return self.id() if kind == OBJECT else self.number(SIZES[kind])


def readable(name: str) -> str:
    """[Ljava/lang/Object; as java.lang.Object[]"""
    dimensions = len(name) - len(name.lstrip("["))
    element = name[dimensions:]
    if dimensions:
        element = NAMES.get(element, element[1:-1])
    return element.replace("/", ".") + "[]" * dimensions


class HeapDump:
    def __init__(self, path: pathlib.Path) -> None:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        end = data.index(0)
        self.version = data[:end].decode()
        self.id_size = struct.unpack_from(">I", data, end + 1)[0]
        self.strings: typing.Dict[int, str] = {}
        self.class_names: typing.Dict[int, str] = {}
        self.serial_names: typing.Dict[int, str] = {}
        self.frames: typing.Dict[int, Frame] = {}
        self.traces: typing.Dict[int, typing.List[int]] = {}
        self.classes: typing.Dict[int, Class] = {}
        self.instances: typing.Dict[int, Instance] = {}
        self.object_arrays: typing.Dict[int, ObjectArray] = {}
        self.primitive_arrays: typing.Dict[int, PrimitiveArray] = {}
        self.roots: typing.List[Root] = []
        self.read_records(Reader(data, end + 13, self.id_size))
        for of in self.classes.values():
            of.name = readable(self.class_names.get(of.id, ""))
        self.class_ids = {of.name: of.id for of in self.classes.values()}

    # ---- Outside of the heap ----

    def read_records(self, reader: Reader) -> None:
        while reader.at < len(reader.data):
            tag = reader.number(1)
            reader.number(4)
            length = reader.number(4)
            start = reader.at
            self.read_record(tag, reader, start + length)
            reader.at = start + length

    def read_record(self, tag: int, reader: Reader, end: int) -> None:
        if tag == 1:
            string = reader.id()
            self.strings[string] = reader.take(end - reader.at).decode("utf-8", "replace")
        elif tag == 2:
            serial, class_id = reader.number(4), reader.id()
            reader.number(4)
            self.class_names[class_id] = self.serial_names[serial] = self.strings[reader.id()]
        elif tag == 4:
            frame = reader.id()
            method, _, source = (self.strings.get(reader.id(), "") for _ in range(3))
            serial = reader.number(4)
            line = struct.unpack(">i", reader.take(4))[0]
            self.frames[frame] = Frame(readable(self.serial_names.get(serial, "")), method, source,
                                       line)
        elif tag == 5:
            serial, _, count = (reader.number(4) for _ in range(3))
            self.traces[serial] = [reader.id() for _ in range(count)]
        elif tag in (0x0c, 0x1c):
            while reader.at < end:
                self.read_object(reader)

    # ---- In the heap ----

    def read_object(self, reader: Reader) -> None:
        tag = reader.number(1)
        if tag in ROOTS:
            self.read_root(tag, reader)
        elif tag == 0x20:
            self.read_class(reader)
        elif tag == 0x21:
            address, _, class_id = reader.id(), reader.number(4), reader.id()
            self.instances[address] = Instance(class_id, reader.take(reader.number(4)))
        elif tag == 0x22:
            address, _, count = reader.id(), reader.number(4), reader.number(4)
            class_id = reader.id()
            elements = struct.unpack(f">{count}{'Q' if self.id_size == 8 else 'I'}",
                                     reader.take(count * self.id_size))
            self.object_arrays[address] = ObjectArray(class_id, list(elements))
        elif tag == 0x23:
            address, _, count, kind = reader.id(), reader.number(4), reader.number(4), \
                reader.number(1)
            reader.take(count * SIZES[kind])
            self.primitive_arrays[address] = PrimitiveArray(kind, count)
        else:
            raise ValueError(f"record {tag:#x} at {reader.at - 1:#x}")

    def read_root(self, tag: int, reader: Reader) -> None:
        address, more = reader.id(), ROOTS[tag]
        numbers = (reader.id(),) if more < 0 else tuple(reader.number(4) for _ in range(more))
        self.roots.append(Root(tag, address, numbers))

    def read_class(self, reader: Reader) -> None:
        class_id = reader.id()
        reader.number(4)
        superclass, loader, signers, domain = (reader.id() for _ in range(4))
        reader.take(2 * self.id_size)
        size = reader.number(4)
        constants = []
        for _ in range(reader.number(2)):
            index, kind = reader.number(2), reader.number(1)
            constants.append(Static(str(index), kind, reader.value(kind)))
        statics = []
        for _ in range(reader.number(2)):
            name, kind = self.strings.get(reader.id(), ""), reader.number(1)
            statics.append(Static(name, kind, reader.value(kind)))
        fields = []
        for _ in range(reader.number(2)):
            name = self.strings.get(reader.id(), "")
            fields.append(Field(name, reader.number(1)))
        self.classes[class_id] = Class(class_id, superclass, loader, signers, domain, size,
                                       constants, statics, fields)

    # ---- Asking ----

    def lineage(self, class_id: int) -> typing.Iterator[Class]:
        """The class and those above it."""
        while class_id in self.classes:
            yield self.classes[class_id]
            class_id = self.classes[class_id].superclass

    def values(self, address: int) -> typing.Iterator[typing.Tuple[Class, Field, int]]:
        """The fields of an instance, with the class that declares each, and its value."""
        instance = self.instances[address]
        reader = Reader(instance.body, 0, self.id_size)
        for of in self.lineage(instance.class_id):
            for field in of.fields:
                yield of, field, reader.value(field.kind)

    def class_name(self, address: int) -> str:
        """Of an object; of a class object java.lang.Class."""
        if address in self.instances:
            return self.classes[self.instances[address].class_id].name
        if address in self.object_arrays:
            return self.classes[self.object_arrays[address].class_id].name
        if address in self.primitive_arrays:
            return LETTERS[self.primitive_arrays[address].kind] + "[]"
        return "java.lang.Class"

    def threads(self) -> typing.Dict[int, typing.List[int]]:
        """By serial number: the frames of its stack, the innermost first."""
        return {root.numbers[0]: self.traces.get(root.numbers[1], [])
                for root in self.roots if root.tag == 0x08}

    def locals(self) -> typing.Iterator[typing.Tuple[int, int, typing.Optional[Frame]]]:
        """Each local variable: its object, its thread's serial number, its frame."""
        stacks = self.threads()
        for root in self.roots:
            if root.tag not in (0x02, 0x03):
                continue
            serial, depth = root.numbers
            stack = stacks.get(serial, [])
            yield root.id, serial, self.frames[stack[depth]] if depth < len(stack) else None
