"""Compiles blocks of known captures with a clang, and compares what the core reads out of them.

    check_blocks.py CLANG DESCRIBE-BLOCK

The truth stands in the sources (arc.m and so on), as comments in front of each shape:

    // shape NAME: CAPTURE, ...  what the block captures, without plain data: what the names and the
                                 layout say, each alone and together
    // layout: CAPTURE, ...      what the layout says where it is wrong
    // name: CAPTURE, ...        what the descriptor's name says where that is not all
    // helper: CAPTURE, ...      what the copy helper's name says where that is not all
    // both: CAPTURE, ...        what comes of both where neither can say all
    // byref: CAPTURE, ...       what the last __block variable holds
    // noescape                  the block is lent to a function that does not keep it
    // only: 64|x86_64|arm64e    what the shape is compiled for; the others are not for arm64e

A CAPTURE is a kind and its place: words behind the header, and bytes behind those after a plus. The
place of a __block variable that is one word can be left out. "cxx" is where a C++ object begins.

Exit status: 0 all agree, 1 something does not, 77 the compiler has none of the targets.
"""
from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Dict, List, NamedTuple, Optional, Tuple

from macho_object import MachObject

TARGETS = {"x86_64": "x86_64-apple-macosx10.15", "arm64": "arm64-apple-macosx13",
           "armv7k": "armv7k-apple-watchos6", "arm64e": "arm64e-apple-macosx13"}
OPTIONS = {"arm64e": ["-fptrauth-intrinsics", "-fptrauth-calls"]}
# What the sources use there and some compilers lack: clang 19 signs, but has no such qualifier.
PROBES = {"arm64e": "void *__ptrauth(2, 1, 1) pointer;"}
# What a shape defines; it gets the shape's name, so that all shapes fit into one object.
DEFINED = r"\b(shape|record|inner|middle|choice|Vector|Shape|Base|Derived)\b"
SOURCES = {
    "arc.m": ["-x", "objective-c", "-fobjc-arc", "-fobjc-weak", "-fexceptions"],
    "manual.m": ["-x", "objective-c", "-fno-objc-arc", "-fexceptions"],
    "cxx.mm": ["-x", "objective-c++", "-std=c++17", "-fobjc-arc", "-fobjc-weak",
               "-fexceptions", "-fcxx-exceptions", "-fobjc-arc-exceptions"],
    "plain.c": ["-x", "c"],
}
HAS_COPY_DISPOSE, IS_NOESCAPE = 1 << 25, 1 << 23
HAS_SIGNATURE, HAS_EXTENDED_LAYOUT = 1 << 30, 1 << 31
SMALL_DESCRIPTOR = 1 << 22

Captures = List[str]  # "strong 0", "weak 1+4", in the order of their places


class Shape(NamedTuple):
    name: str
    source: str
    code: str
    truths: Dict[str, Captures]  # "shape", "layout", ...
    noescape: bool
    only: str


class Block(NamedTuple):
    """What the compiler wrote of one block."""

    flags: int
    size: int
    descriptor_name: str
    copy_name: Optional[str]
    dispose_name: Optional[str]
    layout: str  # as describe_block takes it
    reserved: int


# ---- The sources ----

def read_captures(text: str) -> Captures:
    return [part.strip() for part in text.split(",") if part.strip()]


def read_shape(source: str, section: str) -> Shape:
    first, _, rest = section.partition("\n")
    name, _, captures = first.partition(":")
    truths = {"shape": read_captures(captures)}
    noescape, only = False, ""
    for line in rest.splitlines():
        found = re.match(r"// (layout|name|helper|both|byref|only|noescape)\b:?(.*)", line)
        if found and found[1] == "noescape":
            noescape = True
        elif found and found[1] == "only":
            only = found[2].strip()
        elif found:
            truths[found[1]] = read_captures(found[2])
    name = name.strip()
    code = re.sub(DEFINED, rf"{name}__\1", re.sub("//.*", "", rest))
    return Shape(name, source, code, truths, noescape, only)


def read_source(path: pathlib.Path) -> Tuple[str, List[Shape]]:
    """What stands above the first shape, and the shapes."""
    head, *sections = path.read_text().split("// shape ")
    return head, [read_shape(path.name, section) for section in sections]


# ---- The compiler ----

class Compiler:
    def __init__(self, clang: str, directory: pathlib.Path) -> None:
        self._clang = clang
        self._directory = directory

    def has_target(self, arch: str) -> bool:
        done = subprocess.run([self._clang, "-target", TARGETS[arch], *OPTIONS.get(arch, []), "-x",
                               "c", "-c", "-", "-o", str(self._directory / "probe.o")],
                              input=PROBES.get(arch, ""), text=True, stderr=subprocess.DEVNULL)
        return done.returncode == 0

    def _run(self, source: str, arch: str, code: str, *options: str) -> bytes:
        path = self._directory / source
        path.write_text(code)
        output = self._directory / "output"
        subprocess.run([self._clang, "-target", TARGETS[arch], *OPTIONS.get(arch, []), "-fblocks",
                        "-O0", "-w", *SOURCES[source], *options, str(path), "-o", str(output)],
                       check=True)
        return output.read_bytes()

    def object(self, source: str, arch: str, code: str) -> MachObject:
        return MachObject(self._run(source, arch, code, "-c"))

    def text(self, source: str, arch: str, code: str) -> str:
        """The same in LLVM's language: which descriptor and flags a block gets is code."""
        return self._run(source, arch, code, "-S", "-emit-llvm",
                         "-fno-discard-value-names").decode("latin-1")


def functions_with_blocks(text: str) -> Dict[str, str]:
    """Their code, by the name of the shape that they belong to."""
    functions = {}
    for function in re.split(r"^define ", text, flags=re.M)[1:]:
        code = function[:function.index("\n}\n")]
        found = re.match(r".*?@\"?[\w$]*?(?:\d+|\b)([a-z_]+)__[sS]hape", code)
        if found and "%block.flags" in code:
            functions[found[1]] = code
    return functions


def descriptor_name(code: str) -> str:
    found = re.findall(
        r'store .*?@("?)(__block_descriptor_.*?)\1(?:,| to ).*%block\.descriptor', code)
    if len(found) != 1:
        raise ValueError(f"descriptors: {found}")
    name: str = found[0][1]
    return name.replace("\\01", "\1")


def stored(text: str, field: str) -> List[str]:
    """What the code stores into a field of a literal on the stack: numbers, or other operands."""
    pattern = rf"store (?:i32|i64|ptr|i8\*) (.*?), (?:ptr|i\d+\*+) %{field}\d*(?:,|$)"
    return re.findall(pattern, text, re.M)


def layout_at(objects: MachObject, place: int) -> str:
    pointer = objects.pointer(place)
    if pointer is None:
        return f"{objects.integer(place):#x}"
    if pointer.address is None:
        raise ValueError("a layout in another object")
    return "s" + objects.string(pointer.address).hex()


def read_block(objects: MachObject, name: str, flags: int) -> Block:
    """The words of a large descriptor."""
    place, word = objects.symbols[name], objects.word
    after = place + 2 * word
    copy_name = dispose_name = None
    if flags & HAS_COPY_DISPOSE:
        copy_name = objects.name_of(objects.pointer(after))
        dispose_name = objects.name_of(objects.pointer(after + word))
        after += 2 * word
    has_layout = flags & HAS_EXTENDED_LAYOUT
    return Block(flags, objects.integer(place + word), name, copy_name, dispose_name,
                 layout_at(objects, after + word) if has_layout else "-", objects.integer(place))


# ---- The core ----

class Describer:
    """describe_block, asked line by line."""

    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         encoding="latin-1")

    def _lines(self, *words: str) -> List[List[str]]:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("\t".join(words) + "\n")
        self._process.stdin.flush()
        lines: List[List[str]] = []
        for line in self._process.stdout:
            if line == "end\n":
                return lines
            lines.append(line.split())
        raise ValueError(f"describe_block ended at {words}")

    def close(self) -> None:
        self._process.communicate()

    @staticmethod
    def _captures(lines: List[List[str]], start: int, word: int) -> Captures:
        captures = []
        for kind, offset, _ in lines:
            words, rest = divmod(int(offset) - start, word)
            if kind not in ("data", "unknown"):
                captures.append(f"{kind} {words}" + (f"+{rest}" if rest else ""))
        return captures

    def captures(self, word: int, flags: int, size: int, descriptor_name: Optional[str],
                 copy_name: Optional[str], layout: str) -> Captures:
        lines = self._lines("captures", str(word), str(flags), str(size), descriptor_name or "-",
                            copy_name or "-", layout)
        return self._captures(lines, 3 * word + 8, word)

    def byref(self, word: int, flags: int, size: int, layout: str) -> Captures:
        first, *lines = self._lines("byref", str(word), str(flags), str(size), layout)
        return self._captures(lines, int(first[1]), word) or ["data"]


# ---- The comparison ----

class Check:
    def __init__(self, compiler: Compiler, describer: Describer) -> None:
        self._compiler = compiler
        self._describer = describer
        self.compared = 0
        self.failures: List[str] = []

    def _compare(self, what: str, got: object, wanted: object) -> None:
        self.compared += 1
        if got != wanted:
            self.failures.append(f"{what}: decoded {got}, in the source {wanted}")

    def check(self, source: str, arch: str, head: str, shapes: List[Shape]) -> None:
        code = head + "".join(shape.code for shape in shapes)
        objects = self._compiler.object(source, arch, code)
        text = self._compiler.text(source, arch, code)
        functions = functions_with_blocks(text)
        for shape in shapes:
            self._check_shape(f"{source} {shape.name} {arch}", shape, objects,
                              functions.get(shape.name, ""), text)

    def _check_shape(self, what: str, shape: Shape, objects: MachObject, code: str,
                     text: str) -> None:
        flags = [int(word) & 0xFFFFFFFF for word in stored(code, r"block\.flags")]
        if len(flags) != 1:
            self.failures.append(f"{what}: blocks with the flags {flags}")
            return
        block = read_block(objects, descriptor_name(code), flags[0])
        self._check_descriptor(what, shape, block)
        self._check_captures(what, shape, block, objects.word)
        if "byref" in shape.truths:
            self._check_byref(what, shape, objects.word, code, text)

    def _check_descriptor(self, what: str, shape: Shape, block: Block) -> None:
        self._compare(f"{what}: noescape", bool(block.flags & IS_NOESCAPE), shape.noescape)
        self._compare(f"{what}: in-descriptor flags", block.reserved, 0)
        self._compare(f"{what}: small descriptor", bool(block.flags & SMALL_DESCRIPTOR), False)
        if shape.source != "plain.c":
            self._compare(f"{what}: layout", bool(block.flags & HAS_EXTENDED_LAYOUT), True)
            self._compare(f"{what}: signature", bool(block.flags & HAS_SIGNATURE), True)

    def _check_captures(self, what: str, shape: Shape, block: Block, word: int) -> None:
        truths = shape.truths
        truth = truths["shape"]
        layout_truth = truths.get("layout", [item.replace("block", "strong") for item in truth])
        describe = self._describer.captures
        self._compare(f"{what}: by both", describe(word, block.flags, block.size,
                                                   block.descriptor_name, block.copy_name,
                                                   block.layout), truths.get("both", truth))
        self._compare(f"{what}: by the layout", describe(word, block.flags, block.size, None, None,
                                                         block.layout), layout_truth)
        name_truth = truths.get("name", truth)
        self._compare(f"{what}: by the descriptor's name",
                      describe(word, block.flags, block.size, block.descriptor_name, None, "-"),
                      name_truth)
        if block.copy_name:
            owned = [item for item in truth if not item.startswith("unretained")]
            self._compare(f"{what}: by the copy helper's name",
                          describe(word, block.flags, block.size, None, block.copy_name, "-"),
                          truths.get("helper", owned))

    def _check_byref(self, what: str, shape: Shape, word: int, code: str, text: str) -> None:
        flags, size = (int(stored(code, rf"byref\.{field}")[-1]) & 0xFFFFFFFF
                       for field in ("flags", "size"))
        layout = "-"
        if flags >> 28 == 1:
            layout = byref_layout(stored(code, r"byref\.layout")[-1], text)
        wanted = shape.truths["byref"]
        wanted = [item if " " in item or item == "data" else f"{item} 0" for item in wanted]
        self._compare(f"{what}: __block variable",
                      self._describer.byref(word, flags, size, layout), wanted)


def byref_layout(operand: str, text: str) -> str:
    """The operand of the store of a layout: a number made a pointer, or the name of a string."""
    found = re.match(r"inttoptr \(i\d+ (\d+) to", operand)
    if found:
        return f"{int(found[1]):#x}"
    name = re.escape(re.findall(r"@[\w.\"$]+", operand)[0])
    value = re.findall(rf"^{name} = .*? constant \[\d+ x i8\] (zeroinitializer|c\"(.*?)\")", text,
                       re.M)[0]
    raw = value[1].encode("latin-1")
    plain = re.sub(rb"\\([0-9A-F]{2})", lambda byte: bytes([int(byte[1], 16)]), raw)
    return "s" + plain.rstrip(b"\0").hex()


def applies(shape: Shape, arch: str) -> bool:
    if arch == "arm64e":
        return shape.only == arch
    return shape.only in ("", arch) or (shape.only == "64" and arch != "armv7k")


def main() -> int:
    clang, program = sys.argv[1:]
    count = 0
    with tempfile.TemporaryDirectory() as temporary:
        compiler = Compiler(clang, pathlib.Path(temporary))
        archs = [arch for arch in TARGETS if compiler.has_target(arch)]
        describer = Describer(program)
        check = Check(compiler, describer)
        for source in SOURCES:
            head, shapes = read_source(pathlib.Path(__file__).parent / source)
            count += len(shapes)
            for arch in archs:
                check.check(source, arch, head, [one for one in shapes if applies(one, arch)])
        describer.close()
    print("\n".join(check.failures + [
        f"{clang}: {count} shapes for {', '.join(archs) or 'no target'}: "
        f"{check.compared} comparisons, {len(check.failures)} failed"]))
    if not archs:
        return 77
    return 1 if check.failures or not check.compared else 0


if __name__ == "__main__":
    sys.exit(main())
