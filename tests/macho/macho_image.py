"""A Mach-O image as it lies in memory after the dynamic loader has slid and bound it."""
import pathlib
import re
import struct
import subprocess

LC_SEGMENT_64 = 0x19
LC_UUID = 0x1B
CPU_TYPE_OFFSET = 4


class Segment:
    """A range of memory that can be read and written by address."""

    def __init__(self, name, address, data, protection):
        self.name = name
        self.address = address
        self.data = bytearray(data)
        self.protection = protection

    def holds(self, address, size=1):
        return self.address <= address and address + size <= self.address + len(self.data)


class Image:
    def __init__(self, path, slide, tools):
        self.path = pathlib.Path(path).resolve()
        self.slide = slide
        self.segments = []
        self.uuid = b"\0" * 16
        self.symbols = {}
        self._tools = tools
        self._read_load_commands()
        self._read_symbols()
        self._rebase()

    @property
    def header_address(self):
        return next(s.address for s in self.segments if s.name == "__TEXT")

    def symbol(self, name):
        """The slid address of a symbol, by its name in the file (with Mach-O's underscore)."""
        return self.symbols[name] + self.slide

    def segment_at(self, address, size=1):
        for segment in self.segments:
            if segment.holds(address, size):
                return segment
        raise ValueError(f"{self.path.name} has nothing at {address:#x}")

    def put(self, address, layout, *values):
        segment = self.segment_at(address, struct.calcsize(layout))
        struct.pack_into(layout, segment.data, address - segment.address, *values)

    def get(self, address, layout):
        segment = self.segment_at(address, struct.calcsize(layout))
        return struct.unpack_from(layout, segment.data, address - segment.address)

    def bind(self, resolve):
        """Fills the pointers to other images; resolve(symbol) gives an address or None."""
        for address, symbol in self._fixups("--bind", r"(0x[0-9A-F]+)\s+pointer\s+\d+\s+\S+\s+(\S+)"):
            target = resolve(symbol)
            if target is not None:
                self.put(int(address, 16) + self.slide, "<Q", target)

    def _read_load_commands(self):
        content = self.path.read_bytes()
        self.cpu = struct.unpack_from("<II", content, CPU_TYPE_OFFSET)
        (count,) = struct.unpack_from("<I", content, 16)
        offset = 32
        for _ in range(count):
            command, size = struct.unpack_from("<II", content, offset)
            if command == LC_SEGMENT_64:
                self._add_segment(content, offset)
            elif command == LC_UUID:
                self.uuid = content[offset + 8 : offset + 24]
            offset += size

    def _add_segment(self, content, offset):
        name = content[offset + 8 : offset + 24].rstrip(b"\0").decode()
        address, size, file_offset, file_size = struct.unpack_from("<QQQQ", content, offset + 24)
        if name == "__PAGEZERO":
            return
        data = content[file_offset : file_offset + file_size].ljust(size, b"\0")
        self.segments.append(Segment(name, address + self.slide, data, 5 if name == "__TEXT" else 3))

    def _read_symbols(self):
        for line in self._run("nm", str(self.path)).splitlines():
            match = re.match(r"([0-9a-f]{16}) \w (.+)$", line)
            if match:
                self.symbols[match[2]] = int(match[1], 16)

    def _rebase(self):
        for (address,) in self._fixups("--rebase", r"(0x[0-9A-F]+)\s+pointer()$"):
            place = int(address, 16) + self.slide
            self.put(place, "<Q", self.get(place, "<Q")[0] + self.slide)

    def _fixups(self, table, pattern):
        listing = self._run("objdump", "--macho", table, str(self.path))
        for line in listing.splitlines():
            match = re.search(pattern, line)
            if match:
                yield tuple(group for group in match.groups() if group)

    def _run(self, tool, *arguments):
        command = [self._tools[tool], *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
