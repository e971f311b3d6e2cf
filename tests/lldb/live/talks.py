"""Runs inside lldb: the commands spoken to as `loupe engine` speaks to them, damaged in every way, and
interrupted.
"""
import random
import socket
import struct

import lldb


class _Nobody:
    """In the place of the tool's process."""

    returncode, stderr, pid = 0, None, 0

    def wait(self, *_):
        return 0

    def kill(self):
        pass


def interrupt_the_next_question(debugger):
    """Somebody interrupts while the next question is answered. An lldb that no script can tell so (before 17)
    is taken to have said it."""
    from lldb_commands.engines import piped_tool, talk
    looked, opened = talk.was_interrupted, piped_tool.PipedTool.open

    def interrupted(asked):
        talk.was_interrupted = looked
        if not hasattr(debugger, "RequestInterrupt"):
            return True
        debugger.RequestInterrupt()
        return looked(asked)

    def open_and_interrupt(*question, **how):
        piped_tool.PipedTool.open, talk.was_interrupted = opened, interrupted
        return opened(*question, **how)

    piped_tool.PipedTool.open = open_and_interrupt


def survived(debugger, frame, rounds):
    """"N answers, N refusals": the commands answer, or refuse in words, and nothing waits; or what
    came out instead."""
    from lldb_commands.errors import LoupeError
    counts = {"answers": 0, "refusals": 0}
    for seed in range(rounds):
        try:
            _ask(debugger, frame, random.Random(seed))
            counts["answers"] += 1
        except LoupeError:
            counts["refusals"] += 1
        except Exception as error:  # whatever it is: it is what is looked for
            return f"seed {seed}: {error!r}"
    return ", ".join(f"{count} {what}" for what, count in counts.items())


def told_again(debugger, frame):
    """What a question takes of lldb the second time at a stop: the kinds of messages."""
    from lldb_commands.session.context import at_stop
    from lldb_commands.engines import pipe, seen_by_lldb
    from lldb_commands.engines.question import Question
    kinds, reply = set(), seen_by_lldb.SeenByLldb.reply

    def noted(seen, kind, body):
        kinds.add(kind.name)
        return reply(seen, kind, body)

    seen_by_lldb.SeenByLldb.reply = noted
    try:
        for _ in range(2):
            kinds.clear()
            pipe.ask(Question("leaks", 0), at_stop(debugger, lldb.SBExecutionContext(frame), 60))
    finally:
        seen_by_lldb.SeenByLldb.reply = reply
    return " ".join(sorted(kinds))


def _ask(debugger, frame, chance):
    from lldb_commands.session.context import at_stop
    from lldb_commands.engines import piped_tool, seen_by_lldb, talk
    from lldb_commands.engines.question import Question
    context = at_stop(debugger, lldb.SBExecutionContext(frame), 5)
    tool = piped_tool.PipedTool.__new__(piped_tool.PipedTool)
    tool.is_over, tool.path, tool._process = False, "the tool", _Nobody()
    tool._connection, theirs = talk.Talk.ends()
    tool._seen, tool._stop, tool._told = seen_by_lldb.SeenByLldb(context), None, set()
    theirs.sendall(_damaged(_conversation(frame.GetSP()), chance))
    theirs.shutdown(socket.SHUT_WR)
    try:
        tool.open(Question("retain-cycles", 0x1000), context, False)
    finally:
        theirs.close()
        tool.end()


def _conversation(address):
    from lldb_commands.engines import wire
    from lldb_commands.engines.wire import Kind
    numbers = struct.Struct("<Q").pack
    return [wire.message(kind, body) for kind, body in (
        (Kind.REGION, struct.pack("<QQQ", address & ~0xffff, (address & ~0xffff) + 0x10000, address)),
        (Kind.READ, struct.pack("<QI", address, 64)), (Kind.SYMBOL, wire.text("main")),
        (Kind.NAME, numbers(address)), (Kind.LINE, numbers(address)), (Kind.IMAGES, b""),
        (Kind.SECTIONS, struct.pack("<I", 0)), (Kind.THREADS, b""), (Kind.FILE_PARTS, b""),
        (Kind.REGISTERS, struct.pack("<I", 0) + wire.text("rsp") + wire.text("no such")),
        (Kind.FRAMES_END, struct.pack("<I", 0)), (Kind.USED, b""),
        (Kind.ANSWER, b"\1" + b'{"loupe":1,'), (Kind.ANSWER, b"\0" + b'"status":"ok"}'))]


def _damaged(messages, chance):
    """Messages left out, twice, swapped, or cut, and bytes of them changed."""
    for _ in range(chance.randrange(3)):
        at, other = chance.randrange(len(messages)), chance.randrange(len(messages))
        messages[at:at + 1] = chance.choice(([], [messages[at]] * 2, [messages[other]],
                                             [messages[at][:chance.randrange(12)]]))
        messages = messages or [b""]
    whole = bytearray(b"".join(messages))
    for _ in range(chance.randrange(4)):
        if whole:
            whole[chance.randrange(len(whole))] = chance.choice((0, 1, 0x7f, 0xff, chance.randrange(256)))
    return bytes(whole)
