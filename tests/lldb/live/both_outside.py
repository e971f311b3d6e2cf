"""Runs inside lldb: every question asked of the plugin and of the command-line tool, which have to say the
same, as they look at the same process at the same stop.
"""
import json
import os
import tempfile

import lldb

ABOUT_OBJECTS = ("retain-cycles", "strong-refs", "ivar-layout", "block-layout", "incoming-refs",
                 "methods", "value", "history")
ABOUT_ALL = ("leaks", "snapshot")
VARIES = ("stats",)  # times, that is
SECONDS = 60


def differences(debugger, frame, expressions):
    """Lines about answers that are not the same; "none of N" if all are."""
    found = [line for query in ABOUT_OBJECTS for name in expressions
             for line in _compared(debugger, frame, query, _address(frame, name), name)]
    found += [line for query in ABOUT_ALL for line in _compared(debugger, frame, query, 0, "all")]
    questions = len(ABOUT_OBJECTS) * len(expressions) + len(ABOUT_ALL)
    return "\n".join(found) or f"none of {questions}"


def _address(frame, name):
    data = frame.FindVariable(name).GetNonSyntheticValue().GetData()
    return data.GetUnsignedInt64(lldb.SBError(), 0)


def _compared(debugger, frame, query, address, name):
    from lldb_commands.engines import pipe, plugin
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, engine) for engine in ("plugin", "pipe")]
        somebodys = _planted(folder, files)
        one, other = [_answer(debugger, frame, engine, query, address, file)
                      for engine, file in zip((plugin, pipe), files)]
        if one != other:
            yield f"{query} {name}: {_first_difference(one, other)}"
        if query == "snapshot":
            yield from _compared_files(*files)
            yield from _written_beside(somebodys, files)


def _planted(folder, files):
    """Somebody's file, to which links lead that a snapshot may be written through before it is whole."""
    somebodys = os.path.join(folder, "somebodys")
    with open(somebodys, "w", encoding="ascii") as file:
        file.write("text")
    for name in files:
        os.symlink(somebodys, f"{name}.part")
    return somebodys


def _written_beside(somebodys, files):
    with open(somebodys, encoding="ascii", errors="replace") as file:
        if file.read() != "text":
            yield "a link led a snapshot to another file"
    for name in files:
        if os.stat(name).st_mode & 0o777 != 0o600:
            yield f"{os.path.basename(name)} wrote a snapshot that others may read"


def _answer(debugger, frame, engine, query, address, file):
    from lldb_commands.session.context import at_stop
    from lldb_commands.engines import arguments, known_to_lldb
    from lldb_commands.engines.question import Question
    context = at_stop(debugger, lldb.SBExecutionContext(frame), SECONDS)
    told = arguments.code(frame.GetPC()) if query == "methods" else ""
    question = Question(query, address, max_rings=300, file=file if query == "snapshot" else "",
                        arguments=told)
    answer = engine.ask(known_to_lldb.told(question, context, False), context)
    return json.dumps({key: value for key, value in answer.items() if key not in VARIES},
                      sort_keys=True)


def _compared_files(*paths):
    """The time of a snapshot stands in it: eight bytes."""
    contents = []
    for path in paths:
        with open(path, "rb") as file:
            contents.append(file.read())
    one, other = contents
    differing = sum(a != b for a, b in zip(one, other))
    if len(one) != len(other) or differing > 8 or not one:
        yield f"snapshots of {len(one)} and {len(other)} bytes, {differing} of them not the same"


def _first_difference(one, other):
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return f"...{one[max(0, at - 60):at + 80]}... / ...{other[max(0, at - 60):at + 80]}..."
