"""The heap of screen.m's picture, written by hand in Apple's layouts, and the core file around it.

Each Form is one way in which Apple's runtime packs an isa (objc4 isa.h) and signs pointers.
"""
import dataclasses
import struct

from macho_core import CPU_ARM64, CPU_X86_64, write_core
from macho_image import Image, Segment

SLIDE = 0x4000000
LIBRARY_SLIDE = 0x180000000
HEAP = 0x600000000000
STACK = 0x16FDF0000

RW_REALIZED = 1 << 31
IS_RW_POINTER = 1 << 63  # in class_t.bits since objc4-841
BLOCK_FLAGS = 0xC3000002  # heap, copy/dispose, signature, extended layout, count 1
BYREF_FLAGS = 0x33000002  # heap, copy/dispose, strong object, count 1
ASSOCIATION_RETAIN = 0x301
# Of tagged pointers, as one process may have them (objc-internal.h of objc4-951).
OBFUSCATOR = 0x2A5F00D1CE9B7A58
PERMUTATION = (4, 0, 6, 1, 5, 3, 2, 7)


@dataclasses.dataclass(frozen=True)
class Form:
    name: str
    arch: str
    cpu: tuple
    class_mask: int
    magic_mask: int
    magic_value: int
    tagged_mask: int
    weak_bit: int
    count_shift: int
    signature: int = 0  # bits that a signed pointer carries

    def isa(self, cls, count, has_associations=False, weakly_referenced=False):
        packed = self.sign(cls) & ~(0xFF << 56) | self.magic_value
        return (
            packed
            | has_associations << 1
            | weakly_referenced << self.weak_bit
            | count << self.count_shift
        )

    def sign(self, pointer):
        return pointer | self.signature

    def tagged(self, tag, payload):
        """A word that is a value: its tag in the lowest bits, or apart and permuted."""
        if self.tagged_mask == 1:
            return (payload << 4 | tag << 1 | 1) ^ self.obfuscator
        return (1 << 63 | payload << 3) ^ self.obfuscator | PERMUTATION[tag]

    @property
    def obfuscator(self):
        return OBFUSCATOR & ~(1 if self.tagged_mask == 1 else 1 << 63 | 7)


FORMS = (
    Form("x86_64", "x86_64", (CPU_X86_64, 3), 0x00007FFFFFFFFFF8, 0x001F800000000001,
         0x001D800000000001, 1, 53, 56),
    Form("arm64", "arm64", (CPU_ARM64, 0), 0x0000000FFFFFFFF8, 0x000003F000000001,
         0x000001A000000001, 1 << 63, 42, 45),
    Form("arm64e", "arm64", (CPU_ARM64, 2), 0x00007FFFFFFFFFF8, 1, 1, 1 << 63, 2, 56,
         signature=0x5A << 56 | 0x25 << 47),
)  # fmt: skip


class Scene:
    def __init__(self, form, program, library, tools):
        self.form = form
        self.program = Image(program, SLIDE, tools)
        self.library = Image(library, LIBRARY_SLIDE, tools)
        self.program.bind(self._library_symbol)
        self.heap = Segment("", HEAP, b"\0" * 0x8000, 3)
        self.stack = Segment("", STACK, b"\0" * 0x2000, 3)
        self._next = HEAP + 0x40
        self.objects = {}
        self._fill_runtime_variables()
        self._sign_classes()
        self._realize_classes()
        self._make_block_class()
        self._draw()
        # A frame's variable, and one below the stack pointer, which no frame uses.
        struct.pack_into("<Q", self.stack.data, 0x1010, self.objects["screen"])
        struct.pack_into("<Q", self.stack.data, 0x0F00, self.objects["leaf"])

    def write(self, path, with_note=True):
        pc = self.program.symbol("_main")
        memory = [self.heap, self.stack]
        images = [self.program, self.library]
        write_core(path, self.form.cpu, images, memory, pc, STACK + 0x1000, with_note)

    def _library_symbol(self, name):
        return self.library.symbol(name) if name in self.library.symbols else None

    # ---- The runtime's own data ----

    def _fill_runtime_variables(self):
        for name, value in (
            ("isa_class_mask", self.form.class_mask),
            ("isa_magic_mask", self.form.magic_mask),
            ("isa_magic_value", self.form.magic_value),
            ("taggedpointer_mask", self.form.tagged_mask),
            ("class_rw_data_mask", 0x00007FFFFFFFFFF8),
        ):
            self.library.put(self.library.symbol("_objc_debug_" + name), "<Q", value)
        self.library.put(self.library.symbol("_objc_class_abi_version"), "<I", 1)
        self.library.put(self.library.symbol("_objc_debug_taggedpointer_obfuscator"), "<Q", self.form.obfuscator)
        order = PERMUTATION if self.form.arch == "arm64" else range(8)
        self.library.put(self.library.symbol("_objc_debug_tag60_permutations"), "<8B", *order)

    def _classes(self):
        for name in self.program.symbols:
            if name.startswith(("_OBJC_CLASS_$_", "_OBJC_METACLASS_$_")):
                yield self.program.symbol(name)

    def _sign_classes(self):
        """What the loader signs on arm64e: isa, superclass and data of every class."""
        for cls in self._classes():
            for offset in (0, 8, 32):
                (pointer,) = self.program.get(cls + offset, "<Q")
                if pointer:
                    self.program.put(cls + offset, "<Q", self.form.sign(pointer))

    def _class(self, name):
        return self.program.symbol("_OBJC_CLASS_$_" + name)

    def _realize(self, name, extended):
        """Gives a class its class_rw_t, with the read-only data behind an extension or not."""
        bits_address = self._class(name) + 32
        read_only = self.program.get(bits_address, "<Q")[0]
        pointer = read_only
        if extended:
            pointer = self.form.sign(self._alloc("<QQQQQI", read_only, 0, 0, 0, 0, 0)) | 1
        rw = self._alloc("<IIQQQ", RW_REALIZED, 0, pointer, 0, 0)
        self.program.put(bits_address, "<Q", self.form.sign(rw) | IS_RW_POINTER)

    def _realize_classes(self):
        self._realize("Screen", extended=False)
        self._realize("Model", extended=True)
        # The other classes stay as the compiler made them: not yet realized.

    def _make_block_class(self):
        template = self.program.get(self._class("__NSMallocBlock__"), "<5Q")
        self.library.put(self.library.symbol("__NSConcreteMallocBlock"), "<5Q", *template)

    # ---- The picture ----

    def _alloc(self, layout, *values):
        address = self._next
        self._next += (struct.calcsize(layout) + 15) // 16 * 16
        struct.pack_into(layout, self.heap.data, address - HEAP, *values)
        return address

    def _put(self, address, layout, *values):
        struct.pack_into(layout, self.heap.data, address - HEAP, *values)

    def _object(self, key, cls, layout, *values, count, **flags):
        isa = self.form.isa(self._class(cls), count, **flags)
        self.objects[key] = self._alloc("<Q" + layout, isa, *values)
        return self.objects[key]

    def _draw(self):
        leaf = self._object("leaf", "Leaf", "", count=1)
        model = self._object("model", "Model", "Q", 0, count=2, weakly_referenced=True)
        array = self._object("array", "__NSArrayM", "QQIIII", 0, 0, 0, 0, 0, 0, count=1)
        # _handler, _delegate, _pair {tag, object}, _list
        screen = self._object(
            "screen", "Screen", "QQQQQQ", 0, model, 0x7F, leaf, 0, array,
            count=3, has_associations=True,
        )  # fmt: skip
        self._put(model + 8, "<Q", screen)
        # Element 0 stands at the second of four places: the array wrapped around once.
        self._put(array + 16, "<QIIII", self._alloc("<QQQQ", 0, screen, 0, 0), 1, 4, 9, 1)
        self._put(screen + 8, "<Q", self._block(screen, model))
        self._associate(screen, model)

    def _code(self, symbol):
        return self.form.sign(self.program.symbol(symbol))

    def _block(self, screen, model):
        byref = self._next
        self._alloc(
            "<QQIIQQQ", 0, byref, BYREF_FLAGS, 48,
            self._code("___Block_byref_object_copy_"),
            self._code("___Block_byref_object_dispose_"), model,
        )  # fmt: skip
        prefix = "___block_descriptor_56_e8_32s40r48w_"
        descriptor = next(name for name in self.program.symbols if name.startswith(prefix))
        self.objects["byref"] = byref
        self.objects["block"] = self._alloc(
            "<QIIQQQQQ",
            self.form.sign(self.library.symbol("__NSConcreteMallocBlock")), BLOCK_FLAGS, 0,
            self._code("___16-[Screen start:]_block_invoke"), self.program.symbol(descriptor),
            screen, byref, model,
        )  # fmt: skip
        return self.objects["block"]

    def _associate(self, screen, model):
        """objc::AssociationsManager's maps: LLVM's DenseMap, keys negated in the outer one."""
        empty_key, empty_object = (1 << 64) - 1, 1
        key = self.program.symbol("_kModelKey")
        inner = self._alloc(
            "<12Q", empty_key, 0, 0, key, ASSOCIATION_RETAIN, model, *(empty_key, 0, 0) * 2
        )
        outer = self._alloc(
            "<QQIIQQQIIQQQIIQQQIIQ",
            empty_object, 0, 0, 0, 0,
            empty_object, 0, 0, 0, 0,
            (1 << 64) - screen, self.form.sign(inner), 1, 0, 4,
            empty_object, 0, 0, 0, 0,
        )  # fmt: skip
        storage = self.library.symbol("__ZN4objc19AssociationsManager11_mapStorageE")
        self.library.put(storage, "<QIII", self.form.sign(outer), 1, 0, 4)
