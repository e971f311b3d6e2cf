"""strong-refs --incoming: who holds an object, from globals, stacks and memory of C, live and on a
core."""
import json
import pathlib
import re
import shutil
import tempfile
import unittest

import session

PROGRAM = str(session.BUILD / "tests" / "lldb" / "programs" / "holders")


def holders(commands, core=None):
    return {"program": PROGRAM, "stop": "holdersReady", "commands": commands, "core": core}


def report(text):
    """A report without the line of what the search cost, and without what depends on the machine."""
    return "\n".join(line for line in session.normalised(text).splitlines()
                     if not line.startswith(("Not ", "searched ")))


def comparable(text):
    """Without what the helper has in the process itself."""
    answer = json.loads(text)
    search = {**answer["search"], "bytes": None} if "search" in answer else None
    return {**answer, "engine": None, "stats": None, "search": search, "roots_walked": None}


class Reports(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.questions = ["button", "root", "last", "inLocal", "counted", "pooled",
                         "--from shared->_window button", "--from last --from root button"]
        [run] = session.carry_out([holders([f"strong-refs --incoming {question}"
                                            for question in cls.questions])])
        assert not run["problem"], run["problem"]
        cls.texts = {question: result["output"] + result["error"]
                     for question, result in zip(cls.questions, run["commands"])}

    def check(self, question, expected):
        self.assertEqual(expected.strip("\n"), report(self.texts[question]))

    def needs_thread_local_data(self):
        """lldb 16 and older do not offer the register that leads there."""
        if "thread-local variables and memory" in self.texts["button"]:
            self.skipTest("this lldb does not tell where thread-local data is")

    def test_a_block_and_an_array_hold_it(self):
        self.needs_thread_local_data()
        self.check("button", """
button (View <A1>) is held: its references own all its retains
Held by 2 references

  button  captured  of block <A2> at holders.m:69 in setUp
    from shared (static in holders.m) → AppDelegate <A3>
      _onQuit → block <A2> at holders.m:69 in setUp

  [0]  element  of NSArray <A4> 1 item
    from shared.instance (static in holders) → Service <A5>
      _client → View <A6>
      _subviews → NSArray <A4> 1 item

Also pointed to by globals, stacks, registers (may not own it):
  thread-local data of thread 1 (<A7>)
  button (local of run, thread 1)
Retain count 2: all from the 2 references above
""")

    def test_the_weak_superview_of_its_button_does_not_hold_the_root_view(self):
        self.check("root", """
root (View <A1>) is held: its references own all its retains
Held by 2 references

  _client  ivar  of Service <A2>
    from shared.instance (static in holders) → Service <A2>

  _rootView  ivar  of Window <A3>
    from shared (static in holders.m) → AppDelegate <A4>
      _window → Window <A3>

Also pointed to by globals, stacks, registers (may not own it):
  root (local of run, thread 1)
Retain count 2: all from the 2 references above
""")

    def test_a_global_variable_holds_it(self):
        self.check("last", """
last (View <A1>) is held: a pointer in global or thread-local data may own it
No object holds it

Also pointed to by globals, stacks, registers (may not own it):
  lastView (global in holders.m)
  last (local of run, thread 1)
Retain count 1: 1 retain unaccounted for (may be one of the pointers above)
""")

    def test_the_table_of_classes_is_no_object(self):
        program = str(session.BUILD / "tests" / "lldb" / "programs" / "statics")
        for engine in ("memory", "helper"):
            [run] = session.carry_out([{
                "program": program, "stop": "staticsReady", "frame": 1,
                "commands": [f"strong-refs --incoming --engine {engine} screen"]}])
            self.assertIn("screen (Screen <A1>) is held: a pointer in global or thread-local data "
                          "may own it\nNo object holds it\n",
                          report(run["commands"][0]["output"]))

    def test_a_local_variable_holds_its_holder(self):
        self.assertIn("""
  [0]  element  of NSArray <A2> 1 item
    from local (local of run, thread 1) → NSArray <A2> 1 item
""", report(self.texts["inLocal"]))

    def test_what_nothing_holds_stays_unexplained(self):
        self.assertIn("\nRetain count 1: 1 retain unaccounted for",
                      report(self.texts["counted"]))

    def test_an_autorelease_pool_owns_it(self):
        self.needs_thread_local_data()
        self.check("pooled", """
pooled (View <A1>) is held until an autorelease pool is drained
No object holds it

Also pointed to by globals, stacks, registers (may not own it):
  autorelease pool of thread 1 (<A2>)
  pooled (local of run, thread 1)
Retain count 1: all from the 1 autorelease pool entry above
""")

    def test_a_weak_variable_is_no_root(self):
        self.assertNotIn("watched", self.texts["root"])

    def test_only_given_roots(self):
        self.check("--from shared->_window button", """
button (View <A1>) is held: references own it; 1 of its 2 retains may have another owner
Held by 1 reference

  [0]  element  of NSArray <A2> 1 item
    from shared->_window (given) → Window <A3>
      _rootView → View <A4>
      _subviews → NSArray <A2> 1 item

Retain count 2: 1 reference, 1 retain unaccounted for
""")
        self.assertIn("Not searched: objects that the given roots do not reach\n",
                      self.texts["--from shared->_window button"])

    def test_several_given_roots(self):
        self.assertIn("    from root (given) → View <A3>\n      _subviews → NSArray <A2> 1 item",
                      report(self.texts["--from last --from root button"]))

    def test_of_a_whole_heap_nothing_is_left_out(self):
        self.assertNotIn("Not searched", self.texts["button"])


class Engines(unittest.TestCase):
    maxDiff = None

    def test_both_engines_and_a_core_give_the_same_answer(self):
        lines = [f"strong-refs --incoming -j --engine {engine} {question}"
                 for engine in ("memory", "helper") for question in ("button", "last", "pooled")]
        runs = [holders(lines)]
        with tempfile.TemporaryDirectory() as directory:
            core = pathlib.Path(directory) / "core"
            if shutil.which("gdb"):
                session.save_core(core, PROGRAM, "holdersReady")
                runs.append(holders(lines[:3], str(core)))
            results = session.carry_out(runs)
        for run in results:
            self.assertEqual("", run["problem"])
            self.assertEqual(["", ""], [run["commands"][0]["error"], run["commands"][-1]["error"]])
        live = [comparable(command["output"]) for command in results[0]["commands"]]
        for outside, inside in zip(live[:3], live[3:]):
            self.assertEqual(outside, inside)
        for at_core in results[1:]:
            for outside, command in zip(live, at_core["commands"]):
                self.same_holders(outside, json.loads(command["output"]))

    def test_a_minidump_gives_the_answer_of_the_process_it_was_made_of(self):
        lines = [f"strong-refs --incoming -j --engine memory {name}" for name in ("button", "last")]
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "dump"
            save = f"process save-core --plugin-name=minidump --style=full {path}"
            [live] = session.carry_out([holders([save, *lines])])
            if not path.exists():
                self.skipTest(f"this lldb saves no whole minidump: {live['commands'][0]['error']}")
            [dump] = session.carry_out([holders(lines, str(path))])
        for outside, at_dump in zip(live["commands"][1:], dump["commands"]):
            answers = [comparable(command["output"]) for command in (outside, at_dump)]
            if answers[0]["not_walked"] == answers[1]["not_walked"]:
                self.assertEqual(*answers)
            else:  # older ones do not say where thread-local data is in a minidump
                self.assertIn("thread-local variables", answers[1]["not_walked"])
                self.same_holders(*answers)

    def same_holders(self, live, at_core):
        """gdb starts the program with another stack, so addresses there differ."""
        def shape(answer):
            return [(holder["edge"]["path"], (holder["root"] or {}).get("name"),
                     [step["path"] for step in holder["way"]]) for holder in answer["holders"]]
        self.assertEqual(shape(live), shape(at_core))
        self.assertEqual(live["counts"]["found"], at_core["counts"]["found"])


class MemoryOfC(unittest.TestCase):
    """Live by both engines, and on a core: holders in memory of C, and what is lost."""
    maxDiff = None
    NAMES = ("inRow", "inBox", "inLostBox", "unheld")
    BY_SCRIPT = ("script from lldb_commands import api; "
                 "print([(one.edge.kind, one.root.name) for one in api.incoming_refs('~inRow').memory], "
                 "[one.lost for one in api.incoming_refs('~inLostBox').holders])")

    @classmethod
    def setUpClass(cls):
        program = str(session.BUILD / "tests" / "lldb" / "programs" / "kept_in_c")
        run = {"program": program, "stop": "keptReady", "frame": 1}
        lines = [f"strong-refs --incoming --engine memory ~{name}" for name in cls.NAMES]
        runs = [{**run, "commands": [*lines, cls.BY_SCRIPT, "loupe path ~inRow"]},
                {**run, "commands": [line.replace("memory", "helper") for line in lines]}]
        with tempfile.TemporaryDirectory() as directory:
            core = pathlib.Path(directory) / "core"
            if shutil.which("gdb"):
                session.save_core(core, program, "keptReady")
                runs.append({**run, "commands": lines, "core": str(core)})
            results = session.carry_out(runs)
        assert not any(result["problem"] for result in results), results
        cls.texts = [[command["output"] + command["error"] for command in result["commands"]]
                     for result in results]

    def check(self, name, expected):
        for texts in self.texts:
            self.assertEqual(expected.strip("\n"), report(texts[self.NAMES.index(name)]))

    def test_the_memory_that_holds_it_is_named_with_its_path(self):
        self.check("inRow", """
~inRow (Book <A1>) is held: a pointer in reachable non-object memory may own it
No object holds it; 1 pointer in non-object memory may

  +8  pointer  of memory of shelf.rows (static in kept_in_c.m) (56 bytes) <A2>
    from shelf.rows (static in kept_in_c.m) → non-object (104 bytes) <A3>
      +16 → non-object (56 bytes) <A2>

Retain count 1: 1 retain unaccounted for
""")

    def test_the_samples_of_the_page(self):
        page = (session.SOURCE / "docs" / "incoming.md").read_text(encoding="utf-8")
        for subject, name in (("book", "inRow"), ("other", "inLostBox")):
            [shown] = re.findall(rf"^\(lldb\) strong-refs --incoming {subject}\n(.*?)^```$", page, re.M | re.S)
            self.check(name, report(shown).replace(f"{subject} (", f"~{name} (", 1))

    def test_it_is_the_path_of_loupe_path(self):
        steps = re.findall(r"[├╰]. .*?(0x[0-9a-f]+)", self.texts[0][-1].replace("▶", "─"))
        own = re.findall(r"non-object \(\d+ bytes\) (0x[0-9a-f]+)$", self.texts[0][0], re.MULTILINE)
        self.assertEqual(own, steps[:-1])
        self.assertEqual(2, len(own))

    def test_scripts_have_it_too(self):
        self.assertEqual("[('word', 'shelf.rows')] [True]", self.texts[0][len(self.NAMES)].strip())

    def test_a_path_goes_through_memory(self):
        self.check("inBox", """
~inBox (Book <A1>) is held: its references own all its retains
Held by 1 reference

  _thing  ivar  of Box <A2>
    from shelf.rows (static in kept_in_c.m) → non-object (104 bytes) <A3>
      +64 → Box <A2>

Retain count 1: all from the 1 reference above
""")

    def test_a_holder_that_nothing_leads_to_is_met(self):
        self.check("inLostBox", """
~inLostBox (Book <A1>) is leaked: all that holds it is itself unreachable
Held by 1 reference

  _thing  ivar  of Box <A2>
    itself unreachable

Retain count 1: all from the 1 reference above
""")

    def test_what_nothing_holds_is_leaked(self):
        for texts in self.texts:
            self.assertIn("~unheld (Book 0x", texts[self.NAMES.index("unheld")])
            self.assertIn(") is leaked, a release is missing: 1 of its 1 retain has no owner "
                          "(no other pointer to it in ", texts[self.NAMES.index("unheld")])


class Usage(unittest.TestCase):
    def test_from_without_incoming(self):
        [run] = session.carry_out([holders(["strong-refs --from root button",
                                            "strong-refs --incoming --from nothing button",
                                            "strong-refs --incoming --from"])])
        self.assertEqual(["error: strong-refs: --from goes with --incoming\n",
                          "error: strong-refs: last option requires an argument: --from needs an "
                          "expression\n"],
                         [run["commands"][0]["error"], run["commands"][2]["error"]])
        self.assertIn("error: strong-refs: ", run["commands"][1]["error"])


if __name__ == "__main__":
    unittest.main()
