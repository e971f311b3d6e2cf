"""lldb_commands.api: what scripts get, and the scripts that docs/python.md shows."""
import pathlib
import tempfile
import unittest

import session

SCRIPTS = session.SOURCE / "examples" / "python"

BROKEN = """
from lldb_commands import api

@api.command
def broken(debugger, command, exe_ctx, result, _internal):
    1 / 0

def __lldb_init_module(debugger, _internal):
    debugger.HandleCommand("command script add -f broken.broken broken")
"""

# Calls check(api, frame) of a module, and says that it came to its end.
RUNNER = """
import traceback
import lldb
from lldb_commands import api

def check(debugger, command, exe_ctx, result, _internal):
    try:
        {name}(exe_ctx.GetFrame())
        result.AppendMessage("checked")
    except Exception:
        result.SetError(traceback.format_exc())

def refuses(call, *words):
    try:
        call()
    except api.LoupeError as error:
        missing = [word for word in words if word not in str(error)]
        assert not missing, (str(error), missing)
    else:
        raise AssertionError("it was not refused")

def __lldb_init_module(debugger, _internal):
    debugger.HandleCommand("command script add -o -f checks.check check")
"""

CYCLES = """
def cycles(frame):
    seed = frame.FindVariable("seed")
    found = api.retain_cycles(seed)
    assert found and found.is_complete and found.found == 1
    knot, = found.leaked
    assert knot.contains_subject and knot.certain and knot.object_count == 2
    ring, = found.rings
    assert [edge.path for edge in ring.edges] == ["_handler", "self"], ring
    assert ring.edges[0].source == ring.edges[1].target == found.subject
    block = found.objects[ring.edges[0].target]
    assert block.kind == "block" and block.source.file.endswith("main.m"), block
    assert "weakly" in knot.fixes[0].text and knot.fixes[0].breaks == "knot" and knot.fixes[0].frees
    assert found.json["knots"][0]["fingerprint"] == knot.fingerprint
    for asked, place in ((found.subject, frame), ("seed", frame), (found.subject, frame.GetThread()),
                         (found.subject, lldb.SBExecutionContext(frame)),
                         (found.subject, frame.GetThread().GetProcess())):
        again = api.retain_cycles(asked, at=place, engine="memory")
        assert [one.fingerprint for one in again.rings] == [ring.fingerprint], asked
        assert again.knots[0].fixes[0].text == knot.fixes[0].text, (asked, again.knots[0].fixes)

    held = api.strong_refs(seed)
    assert [edge.name for edge in held.edges] == ["_handler"], held
    holders = api.incoming_refs(seed)
    assert holders.verdict == "leaked" and holders.holders[0].edge.path == "self", holders
    assert {"seed"} <= {root.name for root in holders.roots}, holders.roots
"""

LAYOUTS = """
def layouts(frame):
    frame = frame.GetThread().GetFrameAtIndex(2)  # of main
    thing = frame.FindVariable("thing")
    layout = api.ivar_layout(thing)
    assert (layout.class_name, layout.superclass) == ("Thing", "NSObject"), layout
    assert layout.subject == thing.GetValueAsUnsigned() and layout.is_complete
    assert [level.class_name for level in layout.levels] == ["Thing", "NSObject"]
    handler = layout.ivar("_handler")
    assert (handler.ownership, handler.size) == ("strong", 8) and handler.value, handler
    assert layout.ivar("_number").ownership == "none" and layout.ivar("_number").value is None
    assert [part.name for part in layout.ivar("_pair").fields] == ["_pair.first", "_pair.number"]
    by_name = api.ivar_layout("Thing", at=frame)
    assert by_name.subject is None and by_name.ivar("_handler").value is None
    assert [level.class_name for level in by_name.levels] == ["Thing", "NSObject"]
    refuses(lambda: api.ivar_layout("NoThing", at=frame), "NoThing")

    block = api.block_layout(handler.value, at=frame)
    assert (block.address, block.storage, block.size) == (handler.value, "heap", 40), block
    assert block.source.file.endswith("things.m") and block.owns_captures and not block.conflicts
    captured, = block.captures
    assert (captured.name, captured.kind, captured.class_name) == ("thing", "strong", "Thing")
    assert captured.value == layout.subject and "debug-info" in captured.evidence
    refuses(lambda: api.block_layout(thing), "block")

    # Of the thing's holders the block leads to one, itself.
    holders = api.incoming_refs(thing, roots=[handler.value], at=frame)
    assert [(one.edge.source, one.root.kind) for one in holders.holders if one.root] == \\
        [(handler.value, "given")], holders
"""

SUSPECTS = """
import os
def suspects(frame):
    with open(os.environ["SAVED"] + ".rules", "w") as file:
        file.write("leaking Page\\n")
    heap = api.snapshot(frame)
    found = heap.suspects(rules=file.name)
    assert found and found.found == 1 and not found.leaked, found
    page, = found.held
    assert (page.class_name, page.count, page.addresses) == \\
        ("Page", 1, (heap.find("Page")[0].address,)), page
    assert page.path.objects[-1].address == page.addresses[0] and page.retained > 0, page
    os.remove(file.name)
    assert not heap.suspects()
    path, = heap.paths_to_class("Page")
    assert path.objects[-1].address == page.addresses[0], path
    refuses(lambda: heap.suspects(rules="no/such/file"), "no/such/file")
"""

REFUSALS = """
def refusals(frame):
    refuses(lambda: api.retain_cycles(0, at=frame), "nil")
    refuses(lambda: api.retain_cycles(0x10, at=frame), "0x10")
    refuses(lambda: api.retain_cycles("no_such_name", at=frame), "no_such_name")
    refuses(lambda: api.retain_cycles(frame.FindVariable("no_such_name")), "not valid")
    refuses(lambda: api.retain_cycles(lldb.SBValue()), "not valid")
    refuses(lambda: api.retain_cycles("seed", at=lldb.SBFrame()), "not valid", "at=frame")
    refuses(lambda: api.retain_cycles("seed", at=frame, baseline="no/such/file"), "no/such/file")
    refuses(lambda: api.Snapshot("no/such/file").leaks(), "no/such/file")
    refuses(lambda: api.snapshot(frame).save("no/such/folder/out.loupe"), "no/such/folder")
    refuses(lambda: api.snapshot(frame).classes(sort="taste"), "taste")
"""

HEAPS = """
import gc, os
def heaps(frame):
    process = frame.GetThread().GetProcess()
    first = api.snapshot(frame)
    pages, = first.classes("Page")
    assert pages.count == 1, pages
    book, = first.find("Book")
    turned, = first.find("Page")
    assert not first.leaks().of_class("Page") and not first.cycles()

    process.Continue()
    second = api.snapshot(process)
    page, = [row for row in second.growth_since(first).classes if row.name == "Page"]
    assert (page.new, page.gone, page.still) == (1, 0, 1), page
    assert len(first.find("Page")) == 1 and len(second.find("Page")) == 2
    # The page of the stop before, to which no variable leads any more.
    path, = second.path(turned.address)
    assert path.objects[-1].address == turned.address and path.edges[-1].path == "pages[0]", path
    kept = second.retained(book.address)
    assert turned.address in [one.address for one in kept.dominated], kept
    assert {"Book", "Page"} == {row.name for row in kept.classes}, kept
    alone, = second.find("Book")
    assert alone.retained >= alone.size + turned.size, alone
    second.save(os.environ["SAVED"])
    assert len(api.Snapshot(os.environ["SAVED"]).find("Page")) == 2

    file = first.file
    assert os.path.exists(file)
    process.Kill()
    assert len(second.find("Page")) == 2
    del first
    gc.collect()
    assert not os.path.exists(file)
"""

LEAKS = """
def leaks(frame):
    found = api.snapshot(frame).leaks()
    assert found and found.is_complete and found.found == len(found.entries) == 1, found
    leak, = found.of_class("Owner")
    assert (leak.kind, leak.count, leak.objects) == ("cycle", 1, 2), leak
    assert [edge.path for edge in leak.ring.edges] == ["_handler", "self"], leak
    assert leak.fixes[0].text.startswith("capture self weakly in the block at "), leak.fixes
    # A name changes no fingerprint: that is of what the program alone says.
    knot, = api.retain_cycles("seed", at=frame).knots
    assert leak.fingerprint == knot.fingerprint, (leak.fingerprint, knot.fingerprint)
    assert {one.source.line for one in found.objects.values() if one.kind == "block"} == {24}
    assert found.json["query"] == "leaks"
"""


STACKS = """
def stacks(frame):
    found = api.backtraces(frame)
    assert found.is_complete and len(found.threads) == 5, found
    first = found.threads[0]
    assert first.number == 0 and first.is_whole and first.frames[0].symbol == "loupe_fixture_ready"
    assert first.frames[0].is_interrupted and not first.frames[1].is_interrupted
    assert any(one.name == "main" for one in first.frames), first
    polls, = api.backtraces(frame, thread="polls", engine="helper").threads
    assert polls.name == "polls" and polls.is_whole
    same, = [one for one in found.threads if one.id == polls.id]
    assert [one.address for one in polls.frames] == [one.address for one in same.frames]
    assert str(found).startswith("Thread 0 name: ") and "Binary Images:" in str(found)
    refuses(lambda: api.backtraces(frame, thread="nobody"), "nobody", "main")
    refuses(lambda: api.backtraces(lldb.SBFrame()), "not valid", "at=frame")
"""

HISTORY = """
def history(frame):
    thing = frame.FindVariable("thing")
    process = frame.GetThread().GetProcess()
    found = api.history(thing)
    assert found == api.history(found.object, at=process) and not found.is_freed
    assert found.is_complete and found.count == 2 and not found.problems, found
    assert sorted(one.kind for one in found.unpaired) == ["alloc", "retain"], found.unpaired
    open_one, = (one for one in found.unpaired if one.kind == "retain")
    assert open_one.kind == "retain" and open_one.without_release == 1, open_one
    assert open_one.by.function == "-[Keeper take:]" and open_one.by.file.endswith("history.m")
    assert sum(one.count for one in found.changes if one.kind == "release") == 3
    assert found.json["histories"][0]["now"] == 2
    refuses(lambda: api.history(0, at=process), "nil")
    refuses(lambda: api.history(16, at=process), "0x10")
"""

UNRECORDED = """
def unrecorded(frame):
    refuses(lambda: api.history("seed", at=frame), "LOUPE_RECORD", "docs/history.md")
"""


class Api(unittest.TestCase):
    def check(self, checks, name, program, stop, before=(), **environment):
        with tempfile.TemporaryDirectory() as folder:
            module = pathlib.Path(folder) / "checks.py"
            module.write_text(RUNNER.replace("{name}", name) + checks, encoding="utf-8")
            saved = str(pathlib.Path(folder) / "saved.loupe")
            finished = session.batch(
                *before, f"breakpoint set -n {stop}", "run", "up", f'command script import "{module}"',
                "check", program=program, env=session.environment(SAVED=saved, **environment))
        self.assertEqual(0, finished.returncode, finished.stderr)
        self.assertIn("\nchecked\n", finished.stdout)

    def test_cycles_and_references(self):
        self.check(CYCLES, "cycles", session.fixture("self_block"), session.READY)

    def test_what_goes_wrong_is_one_exception(self):
        self.check(REFUSALS, "refusals", session.fixture("self_block"), session.READY)

    def test_heaps_stay_when_the_process_goes_on(self):
        self.check(HEAPS, "heaps", program("pages"), "pageTurned")

    def test_layouts_and_given_roots(self):
        self.check(LAYOUTS, "layouts", program("things"), "thingsReady")

    def test_suspects(self):
        self.check(SUSPECTS, "suspects", program("pages"), "pageTurned")

    def test_stacks(self):
        self.check(STACKS, "stacks", session.BUILD / "tests" / "stacks" / "programs" / "plain",
                   session.READY, ["settings set target.run-args callback"])

    def test_history(self):
        self.check(UNRECORDED, "unrecorded", session.fixture("self_block"), session.READY)
        recorder = session.library("record")
        if recorder.exists():
            self.check(HISTORY, "history", program("history"), "historyGoesOn",
                       [f"settings set target.env-vars LD_PRELOAD={recorder} LOUPE_RECORD=Thing",
                        "settings set target.run-args to-its-end"])

    def test_leaks(self):
        self.check(LEAKS, "leaks", session.fixture("self_block"), session.READY)


class Scripts(unittest.TestCase):
    """Those of examples/python."""

    def run_script(self, name, *lines, target, before=()):
        return session.batch(*before, f'command script import "{SCRIPTS / name}"', *lines,
                             program=target)

    def at_a_screen(self, name, line):
        return self.run_script(name, line, target=session.BUILD / "examples" / "photo_browser",
                               before=("breakpoint set -n screenShouldBeGone", "run"))

    def test_leaking_controllers(self):
        finished = self.at_a_screen("leaking_controllers.py", "leaking-controllers '*Screen'")
        self.assertIn("3 instances of *Screen\n", finished.stdout)
        self.assertRegex(finished.stdout, r"PhotoScreen 0x\w+ leaks: PhotoScreen\._completion -> ")
        self.assertRegex(finished.stdout, r"\n    make PhotoGrid\._delegate weak(?: \(\w+\.\w:\d+\))?\n")

    def test_growth(self):
        finished = self.run_script("growth.py", "growth pageTurned", target=program("pages"))
        self.assertIn("\n4 stops\nPage: +1, +1, +1\n", finished.stdout, finished.stderr)
        self.assertNotIn("Book:", finished.stdout)
        finished = self.run_script("growth.py", "growth no_such_function", target=program("pages"))
        self.assertIn("no function no_such_function", finished.stderr)
        self.assertEqual(2, finished.returncode)

    def test_gate(self):
        finished = self.at_a_screen("gate.py", "allow *Screen=3 Navigator=1")
        self.assertEqual(0, finished.returncode, finished.stderr)
        self.assertIn("\nno more objects than allowed\n", finished.stdout)
        finished = self.at_a_screen("gate.py", "allow *Screen=2 Navigator=1")
        self.assertEqual(1, finished.returncode)
        self.assertIn("3 of *Screen, 2 allowed", finished.stderr)
        finished = self.at_a_screen("gate.py", "allow Screen")
        self.assertIn("Screen is not a rule", finished.stderr)
        self.assertEqual(2, finished.returncode)

    def test_a_mistake_in_a_script_is_no_success(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "broken.py"
            script.write_text(BROKEN, encoding="utf-8")
            finished = session.batch(f'command script import "{script}"', "broken",
                                     program=session.fixture("self_block"))
        self.assertIn("ZeroDivisionError", finished.stderr)
        self.assertEqual(2, finished.returncode)


def program(name):
    return session.BUILD / "tests" / "lldb" / "programs" / name


if __name__ == "__main__":
    unittest.main()
