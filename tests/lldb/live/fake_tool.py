"""A command-line tool that does not do what `loupe engine` does. The name of the file that starts it says
what it does: fake_tool.install(FOLDER, MODE) makes one.
"""
import os
import pathlib
import struct
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[3]


def install(folder, mode):
    """The path of a tool that does so."""
    path = pathlib.Path(folder) / mode
    path.write_text(f"#!{sys.executable} -B\nimport sys\nsys.path.insert(0, {str(SOURCE)!r})\n"
                    f"sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n"
                    f"import fake_tool\nfake_tool.{mode}()\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def _wire():
    from lldb_commands.engines import wire
    return wire


def _say(kind, body=b""):
    os.write(1, struct.pack("<IHH", len(body), kind, 0) + body)


def _hear():
    """The kind of the next message; the debugger's end of the conversation is ours."""
    header = os.read(0, 8)
    if len(header) < 8:
        sys.exit(0)
    size, kind, _ = struct.unpack("<IHH", header)
    while size:
        size -= len(os.read(0, size))
    return kind


def _greet(version=1):
    wire = _wire()
    _say(wire.Kind.HELLO, struct.pack("<I", version) + wire.text("0"))
    while _hear() != wire.Kind.OPEN:
        pass
    return wire


def dies_at_once():
    print("a library is\x1b[31m missing", file=sys.stderr, flush=True)
    sys.exit(3)


def is_killed():
    _greet()
    os.kill(os.getpid(), 9)


def is_of_another_version():
    _greet(version=77)


def speaks_nonsense():
    _greet()
    os.write(1, b"Content-Length: 12\r\n\r\nHello, World")
    time.sleep(60)


def asks_for_what_there_is_not():
    _greet()
    _say(2)  # TARGET is no request
    time.sleep(60)


def asks_for_too_much():
    wire = _greet()
    _say(wire.Kind.READ, struct.pack("<QI", 0, 1 << 30))
    time.sleep(60)


def gives_no_answer():
    wire = _greet()
    _say(wire.Kind.ANSWER, b"\0[1, 2")
    time.sleep(60)


def is_silent():
    _greet()
    time.sleep(60)


def asks_for_ever():
    wire = _greet()
    while True:
        _say(wire.Kind.READ, struct.pack("<QI", 0, 8))
        _hear()


def hears_an_interruption():
    wire = _greet()
    while _hear() != wire.Kind.INTERRUPT:
        pass
    _say(wire.Kind.ANSWER, b'\0{"loupe":1,"engine":"memory","status":"error","error":{"code":'
                           b'"timeout","message":"heard it","address":null}}')
    time.sleep(60)


def shows_its_environment():
    wire = _greet()
    names = sorted(name for name in os.environ if name.startswith(("DYLD_", "LD_", "LOUPE_", "KEPT")))
    _say(wire.Kind.REFUSAL, wire.text(f"[{' '.join(names)}]"))
    time.sleep(60)
