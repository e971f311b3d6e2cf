"""What a debugger reads in fixtures, word for word against Apple's ABI.

usage: lldb -b -o "command script import check_words.py" -o "script check_words.main('FOLDER')"

FOLDER holds the built fixtures. Everything is read from outside, from the exported variables and
the symbol table of the runtime and from the memory of the stopped process, with the offsets that
objc4-818 and later and libclosure have, written out as numbers.
"""

import os
import platform
import struct
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import lldb  # type: ignore[import]

# Per architecture: class mask, magic mask and value, weakly_referenced.
ISA_FORMS = {
    "x86_64": (0x00007FFFFFFFFFF8, 0x001F800000000001, 0x001D800000000001, 1 << 53),
    "aarch64": (0x0000FFFFFFFFFFF8, 1, 1, 1 << 2),
}
CLASS_MASK, MAGIC_MASK, MAGIC_VALUE, WEAKLY_REFERENCED = ISA_FORMS[platform.machine()]
HAS_ASSOC = 1 << 1
HAS_CXX_DTOR = 1 << 2 if platform.machine() == "x86_64" else 0
WORD = 1 << 64

failures: List[str] = []
checks = 0


def say(text: str) -> None:
    """Not print: what lldb has in its own buffers is lost when main ends the process."""
    os.write(1, (text + "\n").encode())


class Stopped:
    """A fixture at its stop, read through SBProcess.ReadMemory."""

    def __init__(self, debugger: Any, program: Path):
        self.name = program.name
        self.target = debugger.CreateTarget(str(program))
        self.target.BreakpointCreateByName("loupe_fixture_ready")
        self.process = self.target.LaunchSimple(None, None, os.getcwd())
        assert self.process and self.process.GetState() == lldb.eStateStopped, self.name
        self.frame = self.process.GetSelectedThread().GetFrameAtIndex(1)

    def end(self) -> None:
        # The target stays: lldb 22 may still tell of the end of a process whose target is gone, and
        # crash.
        self.process.Kill()

    def local(self, name: str) -> int:
        variable = self.frame.FindVariable(name)
        assert variable.IsValid(), name
        # The value of a block variable is, for lldb, something else than the address it holds.
        return int(variable.GetData().GetUnsignedInt64(lldb.SBError(), 0))

    def read(self, address: int, size: int) -> bytes:
        error = lldb.SBError()
        data = self.process.ReadMemory(address, size, error)
        assert error.Success(), f"{self.name}: {size} bytes at {address:#x}: {error}"
        return bytes(data)

    def u64(self, address: int) -> int:
        return int(struct.unpack("<Q", self.read(address, 8))[0])

    def u32(self, address: int) -> int:
        return int(struct.unpack("<I", self.read(address, 4))[0])

    def bytes0(self, address: int) -> bytes:
        return self.read(address, 64).split(b"\0")[0]

    def symbol(self, name: str) -> int:
        starts = [context.symbol.GetStartAddress() for context in self.target.FindSymbols(name)]
        # Without those that an image only refers to.
        defined = [start for start in starts if start.GetSection().IsValid()]
        assert len(defined) == 1, f"{self.name}: {len(defined)} symbols {name}"
        return int(defined[0].GetLoadAddress(self.target))

    def name_at(self, address: int) -> str:
        return str(self.target.ResolveLoadAddress(address).GetSymbol().GetName())

    def check(self, what: str, got: object, want: object) -> None:
        global checks
        checks += 1
        if got != want:
            shown = [hex(value) if isinstance(value, int) else repr(value) for value in (got, want)]
            failures.append(f"{self.name}: {what} is {shown[0]}, not {shown[1]}")


def class_of(stop: Stopped, address: int) -> int:
    return stop.u64(address) & stop.u64(stop.symbol("objc_debug_isa_class_mask"))


def ro_of(stop: Stopped, cls: int) -> int:
    bits = stop.u64(cls + 32)
    data = bits & stop.u64(stop.symbol("objc_debug_class_rw_data_mask"))
    stop.check("realized class, FAST_IS_RW_POINTER", bits >> 63, 1)
    stop.check("realized class, RW_REALIZED", stop.u32(data) >> 31, 1)
    ro_or_ext = stop.u64(data + 8)
    return stop.u64(ro_or_ext & ~1) if ro_or_ext & 1 else ro_or_ext


TAG_MASK = 1 if platform.machine() == "x86_64" else 1 << 63


def class_name(stop: Stopped, address: int) -> bytes:
    return stop.bytes0(stop.u64(ro_of(stop, class_of(stop, address)) + 24))


def check_isa(stop: Stopped, what: str, address: int, extra_rc: int, flags: int) -> None:
    isa = stop.u64(address)
    stop.check(f"{what}, isa magic", isa & MAGIC_MASK, MAGIC_VALUE)
    stop.check(f"{what}, extra_rc", isa >> 56, extra_rc)
    known = HAS_ASSOC | HAS_CXX_DTOR | WEAKLY_REFERENCED | 1 << 55
    stop.check(f"{what}, isa flags", isa & known, flags)


def check_constants(stop: Stopped) -> None:
    for name, want in (
        ("objc_debug_isa_class_mask", CLASS_MASK),
        ("objc_debug_isa_magic_mask", MAGIC_MASK),
        ("objc_debug_isa_magic_value", MAGIC_VALUE),
        ("objc_debug_class_rw_data_mask", CLASS_MASK),
        ("objc_debug_taggedpointer_mask", TAG_MASK),
    ):
        stop.check(name, stop.u64(stop.symbol(name)), want)
    obfuscator = stop.u64(stop.symbol("objc_debug_taggedpointer_obfuscator"))
    stop.check("obfuscated bits that tell tagged pointers", obfuscator & TAG_MASK, 0)
    stop.check("random obfuscator", obfuscator != 0, True)
    stop.check("objc_class_abi_version", stop.u32(stop.symbol("objc_class_abi_version")), 1)


def check_owner_class(stop: Stopped) -> None:
    """The class of self_block's seed: one ivar, _handler, a block."""
    cls = class_of(stop, stop.local("seed"))
    stop.check("class", cls, stop.symbol("OBJC_CLASS_$_Owner"))
    stop.check("isa of the class", stop.u64(cls), stop.symbol("OBJC_METACLASS_$_Owner"))
    stop.check("superclass", stop.u64(cls + 8), stop.symbol("OBJC_CLASS_$_NSObject"))
    meta = stop.u64(cls)
    stop.check("isa of the metaclass", stop.u64(meta), stop.symbol("OBJC_METACLASS_$_NSObject"))
    stop.check("RO_META", stop.u32(ro_of(stop, meta)) & 1, 1)

    ro = ro_of(stop, cls)
    stop.check("ro.flags", stop.u32(ro), 0x184)
    stop.check("ro.instanceStart", stop.u32(ro + 4), 8)
    stop.check("ro.instanceSize", stop.u32(ro + 8), 16)
    stop.check("ro.ivarLayout", stop.bytes0(stop.u64(ro + 16)), b"\x01")
    stop.check("ro.name", stop.bytes0(stop.u64(ro + 24)), b"Owner")
    stop.check("ro.weakIvarLayout", stop.u64(ro + 56), 0)
    ivars = stop.u64(ro + 48)
    stop.check("ivars.entsize", stop.u32(ivars), 32)
    stop.check("ivars.count", stop.u32(ivars + 4), 1)
    stop.check("ivar offset", stop.u32(stop.u64(ivars + 8)), 8)
    stop.check("ivar name", stop.bytes0(stop.u64(ivars + 16)), b"_handler")
    stop.check("ivar type", stop.bytes0(stop.u64(ivars + 24)), b"@?")
    stop.check("ivar alignment", stop.u32(ivars + 32), 3)
    stop.check("ivar size", stop.u32(ivars + 36), 8)


def check_block(stop: Stopped, address: int, flags: int, size: int, helpers: str, layout: int,
                signature: bytes = b"v8@?0") -> None:
    stop.check("block isa", stop.u64(address), stop.symbol("_NSConcreteMallocBlock"))
    stop.check("block class", class_name(stop, address), b"__NSMallocBlock__")
    stop.check("block flags", stop.u32(address + 8), flags)
    stop.check("block reserved", stop.u32(address + 12), 0)
    invoke = stop.name_at(stop.u64(address + 16))
    stop.check("invoke function", "_block_invoke" in invoke, True)
    descriptor = stop.u64(address + 24)
    stop.check("descriptor reserved", stop.u64(descriptor), 0)
    stop.check("descriptor size", stop.u64(descriptor + 8), size)
    copy, dispose = (stop.name_at(stop.u64(descriptor + at)) for at in (16, 24))
    stop.check("copy helper", copy, "__copy_helper_block_" + helpers)
    stop.check("dispose helper", dispose, "__destroy_helper_block_" + helpers)
    stop.check("signature", stop.bytes0(stop.u64(descriptor + 32)), signature)
    stop.check("layout", stop.u64(descriptor + 40), layout)
    name = f"__block_descriptor_{size}_{helpers}_e{len(signature)}_{signature.decode()}l"
    stop.check("descriptor symbol", stop.name_at(descriptor), name.replace("@", "\x01"))


def check_self_block(stop: Stopped) -> None:
    check_constants(stop)
    check_owner_class(stop)
    seed, block = stop.local("seed"), stop.local("block")
    check_isa(stop, "seed", seed, extra_rc=1, flags=HAS_CXX_DTOR)
    stop.check("seed._handler", stop.u64(seed + 8), block)
    check_block(stop, block, flags=0xC3000002, size=40, helpers="e8_32s", layout=0x100)
    stop.check("captured self", stop.u64(block + 32), seed)


def check_byref_block(stop: Stopped) -> None:
    seed, block = stop.local("seed"), stop.local("block")
    check_block(stop, block, flags=0xC3000002, size=40, helpers="e8_32r", layout=0x010)
    byref = stop.u64(block + 32)
    stop.check("byref isa", stop.u64(byref), 0)
    stop.check("byref forwarding", stop.u64(byref + 8), byref)
    # Its frame has returned: the block holds the only reference.
    stop.check("byref flags", stop.u32(byref + 16), 0x33000002)
    stop.check("byref size", stop.u32(byref + 20), 48)
    keep, destroy = (stop.name_at(stop.u64(byref + at)) for at in (24, 32))
    stop.check("byref keep", keep.startswith("__Block_byref_object_copy_"), True)
    stop.check("byref destroy", destroy.startswith("__Block_byref_object_dispose_"), True)
    stop.check("byref variable", stop.u64(byref + 40), seed)


def buckets(stop: Stopped, dense_map: int, size: int) -> Iterator[int]:
    for index in range(stop.u32(dense_map + 16)):
        yield stop.u64(dense_map) + index * size


def associations(stop: Stopped, address: int) -> Dict[int, Tuple[int, int]]:
    storage = stop.symbol("_ZN4objc19AssociationsManager11_mapStorageE")
    found: Dict[int, Tuple[int, int]] = {}
    for bucket in buckets(stop, storage, 32):
        if stop.u64(bucket) == WORD - address:
            for inner in buckets(stop, bucket + 8, 24):
                if stop.u64(inner) < WORD - 2:
                    found[stop.u64(inner)] = (stop.u64(inner + 8), stop.u64(inner + 16))
    return found


def check_assoc_pair(stop: Stopped) -> None:
    seed, guard = stop.local("seed"), stop.local("guard")
    check_isa(stop, "seed", seed, extra_rc=1, flags=HAS_ASSOC)
    for host, back in ((seed, 0x301), (guard, 0)):
        ((policy, guest),) = associations(stop, host).values()
        stop.check("policy", policy, 1)
        stop.check("class of the guest", class_name(stop, guest), b"Guest")
        ((policy, value),) = associations(stop, guest).values()
        stop.check("policy of the way back", policy, back)
        stop.check("associated with the guest", value, host)


def check_delegate_weak(stop: Stopped) -> None:
    """A weak ivar: the flag in the referent's isa, and the entry with the address of the ivar."""
    seed = stop.local("seed")
    side_tables = stop.u64(stop.symbol("objc_debug_side_tables_map"))
    referrers = {}
    for index in range(64):
        table = side_tables + index * 64 + 32
        entries, mask = stop.u64(table), stop.u64(table + 16)
        for entry in (entries + at * 40 for at in range(mask + 1 if entries else 0)):
            if stop.u64(entry):
                referent = WORD - stop.u64(entry)
                referrers[referent] = [WORD - word for at in range(8, 40, 8)
                                       if (word := stop.u64(entry + at))]
    stop.check("seed is weakly referenced", seed in referrers, True)
    stop.check("flag of the seed", stop.u64(seed) & WEAKLY_REFERENCED, WEAKLY_REFERENCED)
    for referrer in referrers.get(seed, []):
        stop.check("weak variable", stop.u64(referrer), seed)
    stripe = side_tables + (seed >> 4 ^ seed >> 9) % 64 * 64
    stop.check("stripe of the seed has entries", stop.u64(stripe + 40) > 0, True)


def check_all(folder: str) -> None:
    debugger = lldb.SBDebugger.Create(False)
    debugger.SetAsync(False)
    for check in (check_self_block, check_byref_block, check_assoc_pair, check_delegate_weak):
        stop = Stopped(debugger, Path(folder) / check.__name__[len("check_"):])
        try:
            check(stop)
        finally:
            stop.end()


def main(folder: str) -> None:
    try:
        check_all(folder)
    except Exception as error:  # lldb would print it and end with success
        failures.append(repr(error))
    for failure in failures:
        say(failure)
    say(f"{checks} words, {len(failures)} wrong")
    os._exit(1 if failures or not checks else 0)
