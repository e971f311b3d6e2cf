"""What a debugger says to `loupe engine`: questions to the whole engine, replies to one request of
each kind."""
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3]))
from lldb_commands.engines import wire  # noqa: E402
from lldb_commands.engines.wire import Kind  # noqa: E402


def seed(first, messages):
    return "".join(f"\\x{byte:02x}" for byte in bytes([first]) + b"".join(messages))


def reply(found):
    return wire.message(Kind.REPLY, wire.reply(found))


def target(flags=0):
    return wire.Target(8, 1, flags, (1 << 64) - 1, 0, 4711, "/bin/program").message()


def opening(query, stays_open=False, arguments=""):
    return wire.opening(query, 0x21800, 0, 1, 1000000, stays_open, arguments, "")


def numbers(*values):
    return b"".join(map(wire.number, values))


REGION = struct.pack("<QQQB", 0x21800, 0x20000, 0x30000, 1) + \
    struct.pack("<QQQB", 0x1ffff, 0x1f000, 0x20000, 0)
REPLIES = [reply(REGION), reply(bytes(range(16))), reply(numbers(0x1000)),
           reply(numbers(16) + wire.text("name")), reply(wire.number(7, 4) + wire.text("file.m")),
           reply(struct.pack("<QQB", 0x1000, 0x2000, 7)), reply(wire.text("a") + wire.text("b")),
           reply(struct.pack("<QQB", 0x1000, 16, 3) + wire.text(".data")), reply(numbers(1, 2, 3)),
           reply(struct.pack("<BQ", 1, 0x7fff)), reply(struct.pack("<BQ", 0, 0)),
           reply(numbers(0x8000)), reply(struct.pack("<BQBQ", 1, 1, 1, 2)), reply(numbers(0)),
           reply(struct.pack("<BQBQ", 1, 1, 0, 0)), reply(None)]
NOTHING = [reply(None)] * 64
KNOWN = wire.known([((Kind.SYMBOL, wire.text("objc_debug_isa_class_mask")), wire.reply(None)),
                    ((Kind.IMAGES, b""), wire.reply(wire.text("/bin/program")))])

print(seed(1, REPLIES))
print(seed(1, [REPLIES[0], wire.message(Kind.INTERRUPT), *REPLIES[1:]]))
print(seed(1, NOTHING[:24]))
for query in ("retain-cycles", "leaks", "methods", "block-layout", "no such question"):
    print(seed(0, [target(), opening(query), *NOTHING]))
print(seed(0, [target(1), KNOWN, opening("incoming-refs", True, "list 4"), *NOTHING,
               wire.step(Kind.EXTEND, 1000000, ""), wire.step(Kind.ASK, 1000000, "read 0x1000"),
               wire.message(Kind.CLOSE), target(2), opening("strong-refs"), *NOTHING]))
print(seed(0, [target(wire.IS_HERE), opening("leaks"), *REPLIES, *NOTHING, target(wire.IS_HERE),
               opening("snapshot"), *NOTHING]))
print(seed(0, [target(), wire.message(Kind.INTERRUPT), wire.message(Kind.CLOSE)]))
print(seed(0, [opening("leaks")]))
