"""Whole heaps: what leaks with no object named, marks and differences, files, gates."""
import contextlib
import json
import pathlib
import re
import sqlite3
import subprocess
import tempfile
import unittest

import session

TOOL = session.BUILD / "cli" / "loupe"
ZOO = ("self_block", "self_block_weak", "delegate_strong", "delegate_weak", "ring_of_3", "ring_of_25",
       "byref_block", "struct_ivar", "array_member", "dict_value", "assoc_pair", "two_knots",
       "held_ring", "captures_31", "block_in_array", "parent_child", "self_loop", "diamond",
       "singleton_bus", "unretained_capture")


def stop_in_each(programs, *commands, stop=session.READY, frame=1):
    """What the commands said in each program, by one lldb; {} in a command is the program's name."""
    runs = session.carry_out([{"program": str(program), "stop": stop, "frame": frame,
                               "commands": [line.replace("{}", pathlib.Path(program).name) for line in commands]}
                              for program in programs])
    for run in runs:
        if run["problem"]:
            raise AssertionError(run["problem"])
    return [run["commands"] for run in runs]


def stop_in(program, *commands, stop=session.READY, frame=1):
    return stop_in_each([program], *commands, stop=stop, frame=frame)[0]


class Zoo(unittest.TestCase):
    """The verdicts of retain-cycles are those of the whole heap, and so are fingerprints."""

    def test_leaked_knots_are_leaks_and_held_ones_are_not(self):
        told = stop_in_each(map(session.fixture, ZOO), "retain-cycles -j seed", "loupe leaks -j")
        for name, (named, whole) in zip(ZOO, told):
            with self.subTest(name):
                knots = json.loads(named["output"])["knots"]
                answer = json.loads(whole["output"])
                leaks = {leak["fingerprint"] for leak in answer["leaks"]
                         if leak["kind"] == "cycle" and leak["degree"] != "timer"}
                self.assertEqual("ok", answer["status"])
                for knot in knots:
                    if knot["verdict"] == "leaked":
                        self.assertIn(knot["fingerprint"], leaks)
                    if knot["verdict"] == "held":
                        self.assertNotIn(knot["fingerprint"], leaks)
                if not knots:
                    self.assertEqual(set(), leaks)


class All(unittest.TestCase):
    """retain-cycles --all is loupe cycles, told as retain-cycles tells."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def test_it_finds_what_loupe_cycles_finds(self):
        names = ("self_block", "two_knots", "held_ring", "delegate_weak", "timer_target")
        told = stop_in_each(map(session.fixture, names), "retain-cycles --all -j", "loupe cycles -j --limit 0",
                            "retain-cycles -j seed")
        for name, (everything, cycles, named) in zip(names, told):
            with self.subTest(name):
                found = json.loads(everything["output"])
                self.assertEqual(("retain-cycles", None), (found["query"], found["seed"]))
                same = {(knot["fingerprint"], knot["verdict"])
                        for knot in json.loads(cycles["output"])["knots"]}
                self.assertEqual(same, {(knot["fingerprint"], knot["verdict"])
                                        for knot in found["knots"]})
                for knot in json.loads(named["output"])["knots"]:
                    self.assertIn((knot["fingerprint"], knot["verdict"]), same)

    def test_numbers_stand_for_what_an_answer_showed(self):
        [first, ring, path, refs, none, _, coloured] = stop_in(
            session.fixture("self_block"), "loupe leaks", "retain-cycles #1", "loupe path $loupe1",
            "strong-refs #1->_handler", "strong-refs #99", "settings set use-color true",
            "loupe find Owner")
        owner = re.search(r"Owner (0x[0-9a-f]+)", first["output"])[1]
        self.assertIn(f"1 leaked retain cycle through Owner {owner}", ring["output"])
        self.assertIn(owner, path["output"])
        self.assertRegex(refs["output"], r"^block 0x[0-9a-f]+")
        self.assertIn("there is no #99: the last answer has #1 to #", none["error"])
        self.assertIn(f"{owner}\x1b[2m #1\x1b[0m", coloured["output"])

    def test_it_is_told_with_names_and_changes(self):
        [told] = stop_in(session.fixture("self_block"), "retain-cycles --all")
        self.assertIn("1 leaked retain cycle in the whole heap\n", told["output"])
        self.assertRegex(told["output"], r"block 0x[0-9a-f]+ at .*main\.m:\d+ in -\[Owner listen\]")
        self.assertIn("• capture self weakly in the block at ", told["output"])
        self.assertIn("Known mistake: ", told["output"])
        self.assertNotIn("0x0)", told["output"])

    def test_gates_and_files(self):
        known, page = self.directory / "known", self.directory / "it.html"
        results = stop_in(session.fixture("self_block"), "retain-cycles --all --fail-if-found",
                          f"retain-cycles --all --write-baseline {known}",
                          f"retain-cycles --all --baseline {known}",
                          f"retain-cycles --baseline {known} seed",
                          f"retain-cycles --all --html {page}", "retain-cycles -aq",
                          "retain-cycles -aq")
        self.assertEqual([False, True, True, True, True, True, True],
                         [result["ok"] for result in results])
        for compared in results[2:4]:
            self.assertIn("Hidden by the baseline: 1 loop", compared["output"])
        self.assertIn("in the whole heap", page.read_text(encoding="utf-8"))
        self.assertIn("1 leaked retain cycle", results[5]["output"])
        self.assertEqual("", results[6]["output"].strip())

    def test_what_goes_with_an_object_only_is_refused(self):
        refused = stop_in(session.fixture("self_block"), "retain-cycles --all seed",
                          "retain-cycles --all --limit 5", "retain-cycles --all --explain",
                          "retain-cycles --all --engine helper")
        for result, word in zip(refused, ("leave out seed", "--limit", "--explain", "--engine")):
            self.assertFalse(result["ok"])
            self.assertIn(word, result["error"])


class Memory(unittest.TestCase):
    """Memory without a class has one name, by what points to it, in every answer and in a file."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.saved = str(pathlib.Path(directory.name) / "saved.loupe")

    def asked_of_file(self, *words):
        done = subprocess.run([str(TOOL), words[0], self.saved, *words[1:]], capture_output=True,
                              text=True, encoding="utf-8", check=True, timeout=session.TIMEOUT)
        return done.stdout

    def check(self, name, size, find, path, show, retained):
        [[address, place]] = re.findall(rf"(?m)^  (0x\w+) +{size} .* {name}( *)$", find)
        full = rf"{name} \({size} bytes\) {address}"
        self.assertRegex(path, rf"╰▶ {full}\n")
        self.assertRegex(show, rf"\A{full}\n")
        self.assertRegex(retained, rf"\A{full} retains ")
        self.assertNotIn("non-object", find + path + show)
        return address, place

    def check_everywhere(self, program, stop, subject, name, size):
        verbs = ("path", "show", "retained")
        told = [one["output"] for one in stop_in(
            program, "loupe find non-object", *(f"loupe {verb} {subject}" for verb in verbs),
            f"loupe snapshot {self.saved}", stop=stop)]
        address, _ = self.check(name, size, *told[:4])
        self.check(name, size, self.asked_of_file("find", "non-object"),
                   *(self.asked_of_file(verb, address) for verb in verbs))

    def test_the_variable_that_points_to_it(self):
        program = session.BUILD / "tests" / "lldb" / "programs" / "kept_in_c"
        self.check_everywhere(program, "keptReady", "shelf.rows",
                              r"memory of shelf\.rows \(static in kept_in_c\.m\)", 104)

    def test_the_object_that_points_to_it(self):
        self.check_everywhere(session.fixture("pointed_memory"), session.READY, "seed->_box",
                              "buffer of _box in Shelf", 24)

    def test_it_is_counted_apart_from_objects(self):
        """By every question of one stop: how many objects there are is one number."""
        rules = pathlib.Path(self.saved).with_name("its.loupe-rules")
        rules.write_text("leaking Shelf because the shop is closed\n", encoding="utf-8")
        heap, marked, largest, retained, path, show, suspects, found = [one["output"] for one in stop_in(
            session.fixture("pointed_memory"), "loupe heap", "loupe mark", "loupe retained", "loupe retained seed",
            "loupe path seed", "loupe show seed", f"loupe suspects --rules {rules}",
            "loupe retained -j seed")]
        [counted] = re.findall(r"^mark 1: (\d+ objects, \d+ other allocations)$", marked, re.M)
        self.assertIn(f": {counted} of ", heap)
        self.assertRegex(largest, r"^Top-level dominators \(\d+ reachable objects, \d+ other allocations\):\n"
                                  r" +retained +allocations\n")
        kept = json.loads(found)["object"]
        objects = kept["retained_objects"] - kept["retained_others"]
        self.assertEqual((1, 2), (objects, kept["retained_others"]))
        sum_of_it = "1 object, 2 other allocations"
        self.assertIn(f" retains {kept['retained']} bytes in {sum_of_it}\n", retained)
        self.assertIn(f", retains {kept['retained']} bytes in {sum_of_it}\n", path)
        self.assertIn(f", keeps {kept['retained']} bytes in {sum_of_it} alive", show)
        self.assertRegex(suspects, r" should be gone but are held \(\d+ distinct causes?\); they keep "
                                   r"\d+ objects, \d+ other allocations, ")


class Incoming(unittest.TestCase):
    def test_strong_refs_and_the_whole_heap_know_the_same_holders(self):
        """The walk from roots and the snapshot are two ways to the same references."""
        names = ("singleton_bus", "held_ring", "self_block", "dict_value", "array_member",
                 "assoc_pair", "parent_child", "delegate_weak", "byref_block", "diamond")
        with tempfile.TemporaryDirectory() as folder:
            told = stop_in_each(map(session.fixture, names), f"loupe snapshot {folder}/{{}}.sqlite",
                                "strong-refs --incoming -j seed")
            for name, (saved, asked) in zip(names, told):
                with self.subTest(name):
                    file = pathlib.Path(folder) / f"{name}.sqlite"
                    self.assertTrue(saved["ok"], saved["error"])
                    answer = json.loads(asked["output"])
                    walked = sorted(int(holder["edge"]["from"], 16) for holder in answer["holders"])
                    self.assertEqual(walked, holders(file, int(answer["object"], 16)))


def holders(file, address):
    """The objects that own one, by a snapshot that was saved as a database."""
    with contextlib.closing(sqlite3.connect(file)) as database:
        rows = database.execute(
            "SELECT source.address FROM edges JOIN objects source ON source.object = edges.source "
            "JOIN objects target ON target.object = edges.target "
            "WHERE target.address = ? AND edges.ownership IN ('strong', 'assumed')", (address,))
        return sorted(row[0] for row in rows)


class Commands(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def test_blocks_and_captures_have_their_names(self):
        [leaks] = stop_in(session.fixture("self_block"), "loupe leaks")
        self.assertRegex(leaks["output"], r"block 0x[0-9a-f]+ at main\.m:\d+ in -\[Owner listen\]")
        self.assertRegex(leaks["output"], r"self +captured +→ Owner 0x")
        self.assertIn("• capture self weakly in the block at main.m:", leaks["output"])
        self.assertIn("In all: 2 objects, ", leaks["output"])

    def test_gates(self):
        known = self.directory / "known"
        owners = self.directory / "owners"
        plain, gate, written, compared, *of_suspects = stop_in(
            session.fixture("self_block"), "loupe leaks", "loupe leaks --fail-if-found",
            f"loupe leaks --write-baseline {known}", f"loupe leaks --baseline {known}",
            "loupe suspects --share 1", "loupe suspects --share 1 --fail-if-found",
            f"loupe suspects --share 1 --write-baseline {owners}",
            f"loupe suspects --share 1 --baseline {owners}")
        self.assertEqual([True, False, True, True],
                         [result["ok"] for result in (plain, gate, written, compared)])
        self.assertIn("error: loupe leaks: found leaks", gate["error"])
        self.assertIn("No new leaks", compared["output"])
        self.assertEqual([True, False, True, True], [result["ok"] for result in of_suspects], of_suspects)
        self.assertIn("error: loupe suspects: found suspects", of_suspects[1]["error"])
        self.assertIn("Hidden by the baseline: ", of_suspects[3]["output"])
        [clean] = stop_in(session.fixture("delegate_weak"), "loupe leaks --fail-if-found")
        self.assertTrue(clean["ok"], clean["error"])

    def test_a_snapshot_that_is_saved_says_the_same_in_a_terminal(self):
        file = self.directory / "it.loupe"
        saved, leaks = stop_in(session.fixture("ring_of_3"), f"loupe snapshot {file}",
                               "loupe leaks -j")
        self.assertTrue(saved["ok"], saved["error"])
        finished = subprocess.run([TOOL, "leaks", "-j", file], capture_output=True, text=True,
                                  check=False)
        self.assertEqual(1, finished.returncode)
        here, there = json.loads(leaks["output"]), json.loads(finished.stdout)
        self.assertEqual([leak["fingerprint"] for leak in here["leaks"]],
                         [leak["fingerprint"] for leak in there["leaks"]])
        self.assertEqual(here["leaked"], there["leaked"])

    def test_files_say_elsewhere_what_lldb_said(self):
        """Where blocks are written, what they capture, the variables of roots: of each kind of file."""
        kept = [self.directory / "kept.loupe", self.directory / "kept.hprof"]
        leaks, path, *_ = stop_in(session.fixture("self_block"), "loupe leaks", "loupe path seed",
                                  *(f"loupe snapshot {file}" for file in kept))
        self.assertIn("• capture self weakly in the block at main.m:", leaks["output"])
        self.assertIn("watched[0].object (static in fixture.c)", path["output"])
        [owner] = set(re.findall("Owner (0x[0-9a-f]+)", path["output"]))
        for file in kept:
            for said, words in ((leaks, ("leaks", file)), (path, ("path", file, owner))):
                again = subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=1800,
                                       check=False)
                self.assertEqual(said["output"].strip(), again.stdout.strip(), again.stderr)

    def test_every_verb_with_findings_can_be_drawn(self):
        verbs = {"leaks": "", "cycles": "", "suspects": "", "retained": "", "path": " seed"}
        asked = []
        for verb, operand in verbs.items():
            file = self.directory / verb
            asked += [f'loupe {verb} --html "{file} 1.html" --dot {file}.dot{operand}',
                      f"loupe {verb} --format sarif -o {file}.sarif{operand}",
                      f"loupe {verb} --format junit -o {file}.xml{operand}",
                      f"loupe {verb} --format junit --append -o {file}.xml{operand}"]
        for command, result in zip(asked, stop_in(session.fixture("self_block"), *asked)):
            self.assertTrue(result["ok"], (command, result))
            self.assertIn("written to", result["output"])
        for verb in verbs:
            file = self.directory / verb
            self.assertIn(f'"query":"{verb}"', pathlib.Path(f"{file} 1.html").read_text("utf-8"))
            self.assertTrue(pathlib.Path(f"{file}.dot").read_text("utf-8").startswith("digraph"))
            [run] = json.loads(pathlib.Path(f"{file}.sarif").read_text("utf-8"))["runs"]
            self.assertEqual("Loupe", run["tool"]["driver"]["name"])
            self.assertEqual(2, pathlib.Path(f"{file}.xml").read_text("utf-8").count("<testsuite "))

    def test_reports_and_pictures_that_cannot_be(self):
        nowhere = self.directory / "no such folder" / "x"
        results = stop_in(session.fixture("self_block"), f'loupe leaks --html "{nowhere}"',
                          "loupe leaks --append", "loupe leaks --format bad",
                          "loupe leaks --format github --fail-if-found",
                          f"loupe snapshot {self.directory}/heap.html",
                          f"loupe snapshot --redact {self.directory}/heap.hprof")
        self.assertEqual([False, False, False, False, True, True],
                         [result["ok"] for result in results])
        self.assertIn("cannot write", results[0]["error"])
        self.assertIn("--append goes with --format and --output", results[1]["error"])
        self.assertRegex(results[3]["output"],
                         r"::error file=\S+main\.m,line=\d+,title=Loupe: Retain cycle of 2 objects%2C leaked::")
        self.assertRegex(results[3]["output"], r"capture self weakly in the block at main\.m:\d+\.")
        self.assertIn("found leaks", results[3]["error"])

    def test_what_is_typed_wrongly_is_said(self):
        nothing, same, unknown, no_file, no_class = stop_in(
            session.fixture("self_block"), "loupe diff", "loupe mark", "loupe diff other",
            "loupe snapshot", "loupe find")
        self.assertIn("no mark in this process yet", nothing["error"])
        self.assertRegex(same["output"], r"^mark 1: \d+ objects")
        self.assertIn("no mark other; there are 1", unknown["error"])
        self.assertIn("missing FILE (usage: ", no_file["error"])
        self.assertIn("missing PATTERN (usage: ", no_class["error"])

    def test_a_path_begins_at_a_variable(self):
        """The same one as strong-refs --incoming says, with the same words."""
        told, answer, incoming = stop_in(session.fixture("singleton_bus"), "loupe path -n 9 seed",
                                         "loupe path -j -n 9 seed", "strong-refs --incoming seed")
        roots = [path["root"] for path in json.loads(answer["output"])["paths"]]
        self.assertTrue(roots)
        self.assertTrue(any(root["name"] and "watched[" in root["name"] for root in roots))
        for root in roots:
            if root["kind"] == "global" and "watched[" in root["name"]:
                self.assertIn(f"┬ {root['name']} (static in fixture.c)", told["output"])
                self.assertIn(f"{root['name']} (static in fixture.c)", incoming["output"])
        self.assertIn("↓ self (captured)", told["output"])
        self.assertRegex(told["output"], r"block 0x[0-9a-f]+ at main\.m:\d+ in -\[Screen listen\]")

    def test_a_path_begins_on_a_thread(self):
        held = stop_in(session.BUILD / "tests" / "lldb" / "programs" / "holders",
                       "loupe path -n 99 button", stop="holdersReady")
        self.assertRegex(held[0]["output"], r"┬ thread-local data of thread 1 \(0x[0-9a-f]+\)")
        self.assertRegex(held[0]["output"], r"┬ stack of run, thread 1 \(0x")
        self.assertIn("┬ shared (static in holders.m)", held[0]["output"])

    def test_find_says_retain_counts(self):
        [found, counted] = stop_in(session.fixture("singleton_bus"), "loupe find Bus",
                                   "retain-cycles -j seed")
        self.assertRegex(found["output"], r"retain count +class")
        self.assertRegex(found["output"], r"0x[0-9a-f]+ +24 +[\d,]+ +3 +Bus")
        self.assertTrue(counted["ok"])

    def test_a_known_mistake_is_called_so(self):
        leaks, cycles, named = stop_in(session.fixture("timer_target"), "loupe leaks",
                                       "loupe cycles", "retain-cycles seed")
        [mistake] = [line for line in named["output"].splitlines() if "Known mistake" in line]
        for result in (leaks, cycles):
            self.assertIn(mistake, result["output"])
            self.assertIn("→ NSTimer 0x", result["output"])
            self.assertNotIn("__NSCFTimer", result["output"])

    def test_what_is_no_object_is_not_looked_for_in_a_file(self):
        [none] = stop_in(session.fixture("self_block"), "loupe path 0x10")
        self.assertIn("0x10 is not the address of an object in the heap of this stop", none["error"])

    def test_an_object_is_any_expression(self):
        path, retained, cycles = stop_in(session.fixture("self_block"), "loupe path seed",
                                         "loupe retained seed", "loupe cycles seed")
        for result in (path, retained, cycles):
            self.assertTrue(result["ok"], result["error"])
            self.assertIn("Owner 0x", result["output"])
        self.assertIn("1 leaked retain cycle through it\n", cycles["output"])


if __name__ == "__main__":
    unittest.main()
