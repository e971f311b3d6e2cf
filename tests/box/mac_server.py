"""Between lldb and lldb-server: makes a process in the box a Mac's, as debugserver would show it.

    mac_server.py LLDB_SERVER BOX PROGRAM [ARGUMENT]...

Prints "port N" once lldb can connect; the program then waits in front of its main(). What lldb-server
says of a process of Linux is said as debugserver does (llvm-project: lldb/tools/debugserver/source,
lldb/docs/resources/lldbgdbremote.md): the triple, the system's version, the numbers of signals, the
loaded images as jGetLoadedDynamicLibrariesInfos tells them. What only Linux has is not offered.
"""
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import uuid

# signum.h of Linux and sys/signal.h of Darwin, where they differ.
TO_DARWIN = {7: 10, 10: 30, 12: 31, 17: 20, 18: 19, 19: 17, 20: 18, 23: 16, 29: 23, 31: 12}
TO_LINUX = {there: here for here, there in TO_DARWIN.items()}
TRIPLE = "x86_64-apple-macosx13.0.0"
SEGMENT_64, UUID, MAIN_FILE = 0x19, 0x1b, 2
NOT_OFFERED = ("qXfer:auxv:read", "qXfer:libraries-svr4:read", "qXfer:siginfo:read", "qXfer:exec-file",
               "memory-tagging", "multiprocess", "fork-events", "vfork-events", "QPassSignals")
# Questions whose answers would be those of Linux, and which debugserver does not know or answers so.
UNKNOWN = ("jSignalsInfo", "qModuleInfo", "jModulesInfo", "jLoadedLibraries", "qXfer:auxv",
           "qXfer:libraries", "jLLDBTrace", "QPassSignals", "qStructuredDataPlugins",
           "jGetSharedCacheInfo", "jGetDyldProcessState")


class Packets:
    """The remote protocol on one connection, as text without frames and acknowledgements."""

    def __init__(self, connection):
        self._connection = connection
        self._received = b""
        self.acknowledges = True

    def fileno(self):
        return self._connection.fileno()

    def send(self, text):
        body = text.encode("latin-1")
        self._connection.sendall(b"$" + body + b"#%02x" % (sum(body) & 0xff))

    def send_raw(self, data):
        self._connection.sendall(data)

    def receive(self):
        """The next packet, or "\\x03" for an interruption; EOFError at the end."""
        while True:
            self._received = self._received.lstrip(b"+-")
            if self._received[:1] == b"\x03":
                self._received = self._received[1:]
                return "\x03"
            packet = re.match(rb"\$([^#]*)#[0-9a-fA-F]{2}", self._received, re.S)
            if packet:
                self._received = self._received[packet.end():]
                if self.acknowledges:
                    self._connection.sendall(b"+")
                return packet[1].decode("latin-1")
            part = self._connection.recv(1 << 16)
            if not part:
                raise EOFError
            self._received += part

    @property
    def has_more(self):
        return bool(re.match(rb"[+-]*(\x03|\$[^#]*#[0-9a-fA-F]{2})", self._received, re.S))


def unescaped(text):
    """Of binary replies: run lengths and escapes."""
    text = re.sub(r"\}(.)", lambda match: chr(ord(match[1]) ^ 0x20), text, flags=re.S)
    return text


class Server:
    """lldb-server with the program in the box, asked while nobody else speaks to it."""

    def __init__(self, lldb_server, command):
        self._told = tempfile.NamedTemporaryFile(mode="r", suffix=".images")
        reading, writing = os.pipe()
        os.set_inheritable(writing, True)
        self.process = subprocess.Popen(
            [lldb_server, "gdbserver", "--pipe", str(writing), "127.0.0.1:0", "--", *command],
            pass_fds=[writing], env={**os.environ, "BOX_DEBUGGER": self._told.name},
            stdin=subprocess.DEVNULL)
        os.close(writing)
        port = int(os.read(reading, 16).rstrip(b"\0"))
        self.packets = Packets(socket.create_connection(("127.0.0.1", port)))
        self._root = os.path.join(os.path.dirname(command[0]), "root")
        self.ask("QStartNoAckMode")
        self.packets.acknowledges = False
        self.ask("QEnableErrorStrings")
        self.ask("?")
        stop = self.ask("c")
        while stop.startswith("O"):
            stop = self.packets.receive()
        self.list = int(self._told.read() or "0", 16)
        if not self.list:
            raise SystemExit(f"the program did not begin: {stop}")

    def ask(self, text):
        self.packets.send(text)
        return self.packets.receive()

    def read(self, address, size):
        data = b""
        while len(data) < size:
            part = bytes.fromhex(self.ask(f"m{address + len(data):x},{min(size - len(data), 0x1000):x}"))
            if not part:
                raise ValueError(f"no memory at {address:#x}")
            data += part
        return data

    def words(self, address, count):
        return struct.unpack(f"<{count}Q", self.read(address, 8 * count))

    def text(self, address):
        data = b""
        while b"\0" not in data:
            data += self.read(address + len(data), 16)
        return data.split(b"\0")[0].decode()

    # ---- Images ----

    def images(self):
        """Where each is and its path on this machine, that of dyld too."""
        _, count, images = struct.unpack("<IIQ", self.read(self.list, 16))
        dyld = self.words(self.list + 32, 1)[0]
        found = [self.words(images + 24 * number, 2) for number in range(count)]
        return [(header, self._on_this_machine(self.text(path))) for header, path in found] + \
            [(dyld, os.path.join(self._root, "usr/lib/dyld"))]

    def _on_this_machine(self, path):
        inside = self._root + path
        return inside if os.path.exists(inside) else path

    def described(self, wanted):
        """As debugserver's JNISharedLibraryInfo: of these addresses, or of all."""
        return {"images": [self._image(header, path) for header, path in self.images()
                           if wanted is None or header in wanted]}

    def _image(self, header, path):
        magic, cpu, subtype, kind, commands, size, flags, _ = struct.unpack(
            "<8I", self.read(header, 32))
        segments, identity = [], ""
        data, at = self.read(header + 32, size), 0
        for _ in range(commands):
            command, length = struct.unpack_from("<II", data, at)
            if command == SEGMENT_64:
                name, start, room, offset, filled, most = struct.unpack_from("<16sQQQQI", data, at + 8)
                segments.append({"name": name.rstrip(b"\0").decode(), "vmaddr": start, "vmsize": room,
                                 "fileoff": offset, "filesize": filled, "maxprot": most})
            elif command == UUID:
                identity = str(uuid.UUID(bytes=data[at + 8:at + 24])).upper()
            at += length
        return {"load_address": header, "mod_date": 0, "pathname": path, "uuid": identity,
                "min_version_os_name": "macosx", "min_version_os_sdk": "13.0",
                "mach_header": {"magic": magic, "cputype": cpu, "cpusubtype": subtype & 0xffffff,
                                "filetype": kind, "flags": flags}, "segments": segments}


class Mac:
    """What lldb asks, and what it is told."""

    def __init__(self, server):
        self._server = server

    def ask(self, text):
        """The packet for lldb-server, or None and the reply."""
        if text.startswith("jGetLoadedDynamicLibrariesInfos"):
            return None, self._images(text)
        if text.startswith("qShlibInfoAddr"):
            return None, f"{self._server.list:x}"
        if text.startswith(UNKNOWN):
            return None, ""
        if text.startswith("qSupported"):
            return "qSupported:xmlRegisters=i386,arm,mips,arc", None
        if text.startswith("vCont;"):
            return re.sub(r"([CS])([0-9a-f]{2})",
                          lambda match: match[1] + self._number(match[2], TO_LINUX), text), None
        if re.match(r"[CS][0-9a-f]{2}", text):
            return text[0] + self._number(text[1:3], TO_LINUX) + text[3:], None
        return text, None

    def said(self, asked, reply):
        """The reply of lldb-server to that, as debugserver's."""
        if asked.startswith(("qHostInfo", "qProcessInfo")):
            return self._about_system(reply)
        if asked.startswith("qSupported"):
            return ";".join(part for part in reply.split(";") if not part.startswith(NOT_OFFERED))
        if asked.startswith("jThreadsInfo"):
            return re.sub(r'"signal":(\d+)', lambda match: '"signal":' + str(
                TO_DARWIN.get(int(match[1]), int(match[1]))), reply)
        if re.match(r"[TSX][0-9a-f]{2}", reply) and reply[:3] != "S00":
            return reply[0] + self._number(reply[1:3], TO_DARWIN) + reply[3:]
        return reply

    @staticmethod
    def _number(digits, table):
        signal = int(digits, 16)
        return f"{table.get(signal, signal):02x}"

    @staticmethod
    def _about_system(reply):
        values = dict(part.split(":", 1) for part in reply.strip(";").split(";") if ":" in part)
        for name in ("distribution_id", "elf_abi", "hostname", "os_build", "os_kernel"):
            values.pop(name, None)
        values.update(triple=TRIPLE.encode().hex(), ostype="macosx", vendor="apple",
                      os_version="13.0.0", cputype="16777223", cpusubtype="3")
        return "".join(f"{name}:{value};" for name, value in values.items())

    def _images(self, text):
        try:
            asked = json.loads(unescaped(text.partition(":")[2]) or "{}")
        except ValueError:
            asked = {}
        if not asked:
            return "OK"  # that the packet is known
        wanted = asked.get("solib_addresses")
        told = self._server.described(None if wanted is None else set(wanted))
        return re.sub(r"[}$#*]", lambda match: "}" + chr(ord(match[0]) ^ 0x20), json.dumps(told))


def converse(debugger, server, mac):
    """One packet after the other; while the program runs, only interruptions come in between."""
    import select
    asked = ""
    while True:
        text = debugger.receive()
        if text == "\x03":
            server.packets.send_raw(b"\x03")
        elif text == "QStartNoAckMode":
            debugger.send("OK")
            debugger.acknowledges = False
            continue
        else:
            to_server, reply = mac.ask(text)
            if to_server is None:
                debugger.send(reply)
                continue
            asked = text
            server.packets.send(to_server)
        while True:
            if not server.packets.has_more:
                ready, _, _ = select.select([debugger, server.packets], [], [])
                if server.packets not in ready:
                    break  # an interruption
            reply = server.packets.receive()
            debugger.send(mac.said(asked, reply))
            if re.match(r"[WX]", reply) and asked[:1] in "vcCSsk?":
                return
            if not re.match(r"O[0-9a-fA-F]", reply) or not re.match(r"[vcsCS]", asked):
                break


def main(lldb_server, *command):
    server = Server(lldb_server, list(command))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print("port", listening.getsockname()[1], flush=True)
        connection, _ = listening.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        converse(Packets(connection), server, Mac(server))
    except (EOFError, ConnectionError):
        pass
    finally:
        server.process.kill()
        server.process.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
