"""What cannot be answered gets one line that says what to do."""
import json
import os
import re
import tempfile
import unittest

import session

PROGRAMS = session.BUILD / "tests" / "lldb" / "programs"
NO_PROCESS = ("no process: run the program to a breakpoint, attach to it, or load a core file "
              "(target create --core FILE)")
NO_SELF = ("main is a C function, which has no self: name an object, a variable or an address")
NO_SENDS = ("message sends cannot be evaluated with this runtime (lldb would answer nil or worse): "
            "use variables and ivars instead of ")


# What a question says whose time is over: what it found, or that nothing came in time.
WALK_ENDED = re.compile(
    r"No retain cycle found from list \(Link <A1>\), but the search is incomplete: objects left when the "
    r"search was interrupted \(raise --timeout\)\n\n(What holds it: [^\n]+\n)?"
    r"Not followed: objects left when the search was interrupted \(1, such as <A\d+>; raise --timeout\)\n"
    r"(Without names: 1 object or reference, for want of time: allow more with --timeout\n)?searched .*\n|"
    r"error: retain-cycles: the helper did not answer in time: allow more with --timeout, or use "
    r"--engine memory\n")


def things(commands, frame=2, **rest):
    return {"program": str(PROGRAMS / "things"), "stop": "thingsReady", "frame": frame,
            "commands": commands, **rest}


class Errors(unittest.TestCase):
    """Each case: what is typed, and the whole error line behind the command's name."""

    maxDiff = None

    def check(self, run, expected):
        self.assertEqual("", run["problem"])
        for result, (line, message) in zip(run["commands"], expected):
            with self.subTest(line):
                self.assertFalse(result["ok"], result["output"])
                if " -j" in line:  # for who reads only that
                    self.assertEqual("error", json.loads(result["output"])["status"])
                else:
                    self.assertEqual("", result["output"])
                error = re.sub(r"0x[0-9a-f]{6,}", "<A>", result["error"])
                self.assertEqual(f"error: {line.split(' -')[0].split()[0]}: {message}\n", error)

    def ask(self, expected, **options):
        [run] = session.carry_out([things([line for line, _ in expected], **options)])
        self.check(run, expected)

    def test_without_a_process(self):
        expected = [(line, NO_PROCESS) for line in ("retain-cycles", "block-layout 0x10",
                                                    "ivar-layout Thing", "strong-refs -j self")]
        [run] = session.carry_out([{"commands": [line for line, _ in expected]}])
        self.check(run, expected)

    def test_inject_without_a_process(self):
        [run] = session.carry_out([{"commands": ["loupe inject"]}])
        self.assertEqual(f"error: loupe inject: {NO_PROCESS}\n", run["commands"][0]["error"])

    def test_options(self):
        self.ask([
            ("retain-cycles --jsn thing",
             "unknown or ambiguous option --jsn; did you mean --json?"),
            ("retain-cycles -n none thing", "--max-rings takes a number above 0, not 'none'"),
            ("retain-cycles --timeout", "last option requires an argument: --timeout needs a number "
             "of seconds above 0"),
            ("strong-refs --engine fast thing",
             "--engine takes auto, memory or helper, not 'fast'"),
            ("block-layout -q thing",
             "unknown or ambiguous option -q; write -- before such an expression"),
            ("retain-cycles -o /nowhere/x.txt thing",
             "cannot write /nowhere/x.txt: No such file or directory"),
        ])

    def test_expressions_that_lead_to_no_object(self):
        self.ask([
            ("retain-cycles", NO_SELF),
            ("retain-cycles self->_next", NO_SELF),
            ("retain-cycles none", "none is nil: there is nothing to look at"),
            ("retain-cycles number", "number is an int, not an object: name an object, a block or "
                                     "an address"),
            ("retain-cycles ratio", "ratio is a double, not an object: name an object, a block or "
                                    "an address"),
            ("retain-cycles thing->_none", "thing->_none is nil: there is nothing to look at"),
            ("retain-cycles thing->_gone", "thing has no _gone; it has _next, _none, _number, "
                                           "_pair, _pair.first, _pair.number, _handler, _computed"),
            ("retain-cycles thing->_none->_next",
             "thing->_none is nil, so there is no _next"),
            ("retain-cycles nothingLikeThis",
             "cannot evaluate nothingLikeThis: use of undeclared identifier 'nothingLikeThis'"),
            ("retain-cycles thing +", "cannot evaluate thing +: expected expression"),
            ("retain-cycles nothingLikeThis -v",
             "cannot evaluate nothingLikeThis: use of undeclared identifier 'nothingLikeThis'"),
            ("strong-refs Thing", "Thing is a class: name an object (ivar-layout takes classes too)"),
            ("ivar-layout NoThing", "cannot evaluate NoThing: use of undeclared identifier "
             "'NoThing', and no class is named NoThing"),
        ])

    def test_options_behind_an_expression_are_taken(self):
        [run] = session.carry_out([things([
            "retain-cycles -n 2 -j -- thing", "retain-cycles thing -n 2 --json",
            "strong-refs -j thing", "strong-refs thing->_next -j", "strong-refs number -j"])])
        before, behind, plain, path, wrong = (answer["output"] for answer in run["commands"])
        without_stats = [{**json.loads(text), "stats": None} for text in (before, behind)]
        self.assertEqual(*without_stats)
        self.assertEqual(["strong-refs"] * 2, [json.loads(text)["query"] for text in (plain, path)])
        self.assertEqual("error", json.loads(wrong)["status"])

    def test_places_of_variables(self):
        self.ask([
            ("retain-cycles &thing", "&thing (<A>) is not an object: it is where the variable thing "
             "stands (local of main, thread 1); ask about thing"),
            ("strong-refs &things[1]", "&things[1] (<A>) is not an object: it is where the variable "
             "things[1] stands (local of main, thread 1); ask about things[1]"),
            ("ivar-layout &keepRunning", "&keepRunning (<A>) is not an object: it is where the "
             "variable keepRunning stands (global in things.m); ask about keepRunning"),
        ])

    def test_what_a_pointer_points_to_is_the_object(self):
        [run] = session.carry_out([things(["strong-refs *thing", "strong-refs thing"])])
        self.assertEqual(*[answer["output"].split(")", 1)[1] for answer in run["commands"]])

    def test_numbers_that_are_too_large(self):
        self.ask([
            ("retain-cycles -n 99999999999999999999 thing", "--max-rings takes a number above 0, not "
             "'99999999999999999999', which is beyond 4294967295"),
            ("retain-cycles --limit 0x1ffffffff thing",
             "--limit takes a number above 0, not '<A>', which is beyond 4294967295"),
            ("strong-refs 0xffffffffffffffff11", "<A> is not an address: it has more "
             "than the 64 bits of this program's"),
        ])

    def test_a_frame_without_self_names_one_that_has(self):
        [run] = session.carry_out([things(["retain-cycles self"], frame=0)])
        self.assertEqual(
            "error: retain-cycles: thingsReady is a C function, which has no self: name an object, a "
            "variable or an address, or go to -[Thing ask] (frame select 1)\n",
            run["commands"][0]["error"])

    def test_messages_are_refused_where_lldb_cannot_send_them(self):
        self.ask([
            ("retain-cycles [thing computed]", NO_SENDS + "[thing computed]"),
            ("retain-cycles (id)[[Thing alloc] init]", NO_SENDS + "(id)[[Thing alloc] init]"),
            ("retain-cycles thing.computed",
             "thing.computed calls a method, which cannot be done with this runtime: use the "
             "ivar, thing->_computed"),
        ])

    def test_addresses_that_hold_no_object(self):
        for engine in ("memory", "helper"):
            asked = f"retain-cycles --engine {engine} "
            freed = "if it was one, it has been freed"
            with self.subTest(engine):
                self.ask([
                    (asked + "text", "text (<A>) is not an object in memory: it is a tagged "
                                     "pointer"),
                    (asked + "wild", "wild (<A>) cannot be read; check the address"),
                    (asked + "freed", "freed (<A>) is not an object: it may have been freed: its "
                                      "first word is one byte repeated, as debugging allocators "
                                      "leave freed memory"),
                    (asked + "address + 8", "address + 8 (<A>) is not an object: it is 8 bytes into "
                                            "the Thing <A>, at _next; ask about that one, or about "
                                            "what it holds there"),
                    (asked + "(char *)freed + 4096", "(char *)freed + 4096 (<A>) is not an object: "
                                                     f"isa 0x0: nil is not a class; {freed}"),
                    (asked + "0x10", "0x10 cannot be read; check the address"),
                    (asked + "42", "0x2a is not an object: it is not aligned to 8 bytes"),
                    (f"block-layout --engine {engine} thing",
                     "thing (<A>) is not a block: it is of class Thing; ivar-layout and "
                     "strong-refs take any object"),
                ])

    def test_a_block_that_was_overwritten(self):
        overwrite = ("!process.WriteMemory(int(frame.FindVariable('block').GetNonSyntheticValue()"
                     ".GetData().GetUnsignedInt64(lldb.SBError(), 0)) + 24, {!r}, lldb.SBError())")
        bad = {b"\x10" + bytes(7): "is a block whose descriptor at 0x10 cannot be read",
               bytes(8): "is not a block: its descriptor is nil"}
        tried = [(engine, word) for engine in ("memory", "helper") for word in bad]
        runs = session.carry_out([{"program": session.fixture("self_block"), "stop": session.READY,
                                   "commands": [overwrite.format(word), f"block-layout --engine {engine} block"]}
                                  for engine, word in tried])
        for (engine, word), run in zip(tried, runs):
            with self.subTest(engine, word=word):
                error = re.sub(r"0x[0-9a-f]{6,}", "<A>", run["commands"][1]["error"])
                self.assertEqual(f"error: block-layout: block (<A>) {bad[word]}; if it was one, "
                                 "it has been freed\n", error)

    def test_the_native_command_says_which_word_is_wrong(self):
        expected = {"": "usage: ", "friends --address 0x10": "no such question: friends; usage: ",
                    "retain-cycles --address ten":
                        "not understood or not readable: --address ten; usage: ",
                    "retain-cycles --address 0x10 --limit":
                        "not understood or not readable: --limit without a value; usage: ",
                    "retain-cycles --with-file /nowhere/x --address 0x10":
                        "not understood or not readable: --with-file /nowhere/x; usage: ",
                    "retain-cycles --limit 5": "no address given; usage: "}
        loaded = "retain-cycles --engine memory thing"
        [run] = session.carry_out([things([loaded, *(f"loupe-engine {words}" for words in expected)])])
        for result, message in zip(run["commands"][1:], expected.values()):
            with self.subTest(result["line"]):
                self.assertFalse(result["ok"])
                self.assertTrue(result["error"].startswith(f"error: {message}"), result["error"])

    def test_before_the_runtime_is_loaded(self):
        finished = session.batch("process launch --stop-at-entry", "retain-cycles 0x1000",
                                 program=session.fixture("self_block"))
        self.assertEqual(2, finished.returncode, finished.stdout)
        self.assertIn("error: retain-cycles: no Objective-C runtime that Loupe knows in the target; "
                      "if it is not loaded yet, go on to a later stop; loupe doctor says what is "
                      "there; of objects of Swift and C++ alone loupe cycles and loupe path answer\n",
                      finished.stderr)

    def test_without_a_frame(self):
        call = ("!(lambda result: [__import__('lldb_commands.commands').commands.RetainCycles("
                "debugger, {{}})(debugger, {line!r}, lldb.SBExecutionContext(process), result), "
                "result.GetError()][1])(lldb.SBCommandReturnObject())")
        [run] = session.carry_out([things([call.format(line=line) for line in
                                           ("", "--engine memory 0x10")])])
        self.assertEqual([
            "error: retain-cycles: there is no frame here, so no self: give an address, or choose "
            "one (thread select)\n",
            "error: retain-cycles: 0x10 cannot be read; check the address\n",
        ], [answer["output"] for answer in run["commands"]])

    def test_a_fault_of_the_commands_is_an_error_line_too(self):
        # lldb would take an exception for success, and a batch would go on.
        self.addCleanup(session.end_planned)  # its commands have a fault from now on
        [run] = session.carry_out([things([
            "!setattr(__import__('lldb_commands.reporting.report').reporting.report, 'deliver', lambda *rest: {}['x'])",
            "strong-refs thing", "strong-refs -v thing"])])
        _, short, verbose = run["commands"]
        self.assertFalse(short["ok"])
        self.assertEqual("error: strong-refs: internal error: KeyError: 'x' (-v says where)\n",
                         short["error"])
        self.assertIn("Traceback", verbose["error"])

    def test_an_expression_that_does_not_end_is_ended(self):
        [run] = session.carry_out([things([
            "!__import__('time').time()", "retain-cycles --timeout 0.5 (void *)spin()",
            "!__import__('time').time()", "strong-refs thing"])])
        before, result, after, next_one = run["commands"]
        self.assertIn("error: retain-cycles: cannot evaluate (void *)spin(): ", result["error"])
        self.assertLess(float(after["output"]) - float(before["output"]), 30)
        self.assertTrue(next_one["ok"], next_one)

    def test_a_process_that_runs(self):
        [run] = session.carry_out([things([
            "!frame.EvaluateExpression('keepRunning = 1').GetValue()",
            "!go_on()", "retain-cycles 0x1000"])])
        self.assertEqual("running", run["commands"][1]["output"])
        self.assertEqual("error: retain-cycles: the process is running: stop it first (process "
                         "interrupt)\n", run["commands"][2]["error"])

    def test_a_process_that_has_ended(self):
        [run] = session.carry_out([things(["!process.Continue().Success()",
                                           "retain-cycles thing"])])
        self.assertEqual("error: retain-cycles: the process has ended with status 0: run it again "
                         "(process launch) to a breakpoint, attach to another, or load a core file\n",
                         run["commands"][1]["error"])

    def test_a_process_that_was_killed(self):
        [run] = session.carry_out([things(["process kill",
                                           "!process.GetState() == lldb.eStateExited",
                                           "retain-cycles thing"])])
        _, known, answer = run["commands"]
        if known["output"] != "True":
            self.skipTest("this lldb takes a killed process for a stopped one")
        self.assertRegex(answer["error"], "the process has ended[^:]*: run it again")


class MissingParts(unittest.TestCase):
    def ask(self, *commands, **environment):
        [run] = session.carry_out([things(list(commands))],
                                  env=session.environment(**environment))
        return run["commands"]

    def test_without_the_plugin_the_terminal_tool_answers(self):
        memory, auto, doctor = self.ask("strong-refs --json --engine memory thing",
                                        "strong-refs --json thing", "loupe doctor",
                                        LOUPE_PLUGIN="/nowhere/plugin.so")
        self.assertIn('"engine":"memory"', memory["output"])
        self.assertIn('"engine":"memory"', auto["output"])
        self.assertIn("not loaded: the plugin is not built", doctor["output"])
        self.assertIn("not in the process", doctor["output"])
        self.assertIn("engine    the command-line tool, a process beside LLDB, "
                      "since the plugin is not loaded", " ".join(doctor["output"].split(" ")))

    def test_a_plugin_that_does_not_load_is_reported_by_doctor(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            memory, doctor = self.ask("strong-refs --engine memory thing", "loupe doctor",
                                      LOUPE_PLUGIN=file.name, LOUPE_TOOL="/nowhere/loupe")
            self.assertIn(f"lldb does not load {file.name}: ", memory["error"])
            self.assertIn(f"not loaded: lldb does not load {file.name}: ", doctor["output"])

    def test_without_the_helper(self):
        helper, auto = self.ask("strong-refs --engine helper thing", "strong-refs --json thing",
                                LOUPE_HELPER="/nowhere/helper.so")
        self.assertEqual("error: strong-refs: the helper library is not built or not where it is "
                         "looked for: loupe doctor lists the places\n", helper["error"])
        self.assertIn('"engine":"memory"', auto["output"])

    def test_a_helper_that_does_not_load(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            [inject] = self.ask("loupe inject", LOUPE_HELPER=file.name)
            self.assertRegex(inject["error"], "error: loupe inject: the process does not load "
                             + re.escape(file.name) + ": .+")

    def test_without_anybody_nothing_is_loaded_unasked(self):
        memory, auto, helper, doctor = self.ask(
            "strong-refs --engine memory thing", "strong-refs thing",
            "strong-refs --json --engine helper thing", "loupe doctor",
            LOUPE_TOOL="/nowhere/loupe", LOUPE_PLUGIN="/nowhere/plugin.so")
        for refused in (memory, auto):
            self.assertEqual("error: strong-refs: neither the plugin nor the command-line tool is available: the plugin is not built or "
                             "not where it is looked for; and the command-line tool `loupe` is not built or "
                             "not where it is looked for; loupe doctor says more, --engine helper loads "
                             "the helper into the process instead\n", refused["error"])
        self.assertIn('"engine":"helper"', helper["output"])
        self.assertIn("the helper, since it is in the process; in breakpoint actions none: neither",
                      doctor["output"])

    def test_on_a_core_file_without_the_plugin(self):
        with tempfile.TemporaryDirectory() as directory:
            core = os.path.join(directory, "things.core")
            [saved] = session.carry_out([things([f"process save-core --style=full {core}"])])
            if not saved["commands"][0]["ok"]:
                self.skipTest("this lldb cannot save a core file")
            [run] = session.carry_out(
                [things(["strong-refs thing", "strong-refs --engine helper thing", "loupe inject"],
                        core=core)], env=session.environment(LOUPE_PLUGIN="/nowhere/plugin.so",
                                                             LOUPE_TOOL="/nowhere/loupe"))
            [other] = session.carry_out([things(["strong-refs 0x10"], core=core)])
            [probe] = session.carry_out([things(["ivar-layout --probe thing"], core=core)])
        auto, helper, inject = [answer["error"] for answer in run["commands"]]
        self.assertEqual("error: strong-refs: 0x10 cannot be read; this core file does not have that "
                         "memory: give another address, or make a core with all memory (process "
                         "save-core --style full)\n", other["commands"][0]["error"])
        self.assertEqual("error: ivar-layout: the probe runs code of the program, and a core file "
                         "runs none: leave --probe out\n", probe["commands"][0]["error"])
        self.assertEqual("error: strong-refs: a core file needs the plugin or the command-line tool: the "
                         "plugin is not built or not where it is looked for; and the command-line tool "
                         "`loupe` is not built or not where it is looked for; loupe doctor says more\n",
                         auto)
        refused = ("a core file has no process to load the helper into: use --engine memory\n")
        self.assertEqual(f"error: strong-refs: {refused}", helper)
        self.assertEqual(f"error: loupe inject: {refused}", inject)


class Timeouts(unittest.TestCase):
    """The list is longer than can be walked in the time: what was found so far is shown as such."""

    def test_each_engine_ends_in_time_and_says_so(self):
        for engine in ("memory", "helper"):
            with self.subTest(engine):
                [run] = session.carry_out([{
                    "program": str(PROGRAMS / "long_list"), "stop": "listReady", "frame": 0,
                    "commands": ["loupe inject", f"retain-cycles --engine {engine} --timeout 0.005 list",
                                 f"retain-cycles --engine {engine} --timeout 1500 list"]}])
                _, short, long = run["commands"]
                text = session.normalised(short["output"] + short["error"])
                self.assertIsNotNone(WALK_ENDED.fullmatch(text), text)
                self.assertTrue(long["ok"], long)
                self.assertRegex(long["output"], r"\A1 (?:leaked |held )?retain cycle through list \(Link 0x")


class Progress(unittest.TestCase):
    """LLDB shows a progress bar during long walks, where it has them."""

    def test_a_walk_long_enough_for_a_progress_bar_is_answered(self):
        [run] = session.carry_out([{
            "program": str(PROGRAMS / "long_list"), "stop": "listReady", "frame": 0,
            "commands": ["retain-cycles --engine memory --timeout 1500 list"]}])
        [answer] = run["commands"]
        self.assertTrue(answer["ok"], answer)
        self.assertRegex(answer["output"], r"\A1 (?:leaked |held )?retain cycle through list \(Link 0x")


if __name__ == "__main__":
    unittest.main()
