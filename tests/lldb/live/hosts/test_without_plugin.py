"""Where lldb takes no plugin, as in Xcode: the command-line tool answers everything, as a process beside
lldb; and whatever a tool may do, a question ends with a sentence."""
import os
import pathlib
import re
import shutil
import tempfile
import unittest

import fake_tool
import session

PROGRAMS = session.BUILD / "tests" / "lldb" / "programs"
ENGINE = "engine    the command-line tool, a process beside LLDB, since the plugin"
OF_HEAPS = ("loupe leaks", "loupe heap --class *Controller", "loupe path seed", "loupe cycles seed",
            "loupe retained seed", "loupe find HeaderView")


def without_plugin(folder, **changes):
    """The environment in which lldb refuses the plugin as Xcode does: by what the loader says."""
    file = pathlib.Path(folder) / "libloupe_plugin.dylib"
    file.write_bytes(bytes.fromhex("cffaedfe0c000001") + bytes(64))
    return session.environment(LOUPE_PLUGIN=file, **changes)


class TheWholeWay(unittest.TestCase):
    """One lldb with the plugin and one without, asked the same."""

    IDLE = "!__import__('lldb_commands.engines.pipe').engines.pipe._idle"
    STOP = "!process.GetStopID(True), target.GetNumModules()"
    STEP = "!target.process.selected_thread.StepInstruction(True)"

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            core = os.path.join(folder, "core") if shutil.which("gdb") else None
            if core:
                session.save_core(core, session.fixture("captures_mixed"))
            runs = {
                "all": ("view_controller", None, [
                    "retain-cycles seed", "strong-refs seed", "ivar-layout seed",
                    "strong-refs --incoming seed", "retain-cycles --all", *OF_HEAPS]),
                "again": ("view_controller", None, ["!__import__('talks').told_again(debugger, frame)"]),
                "members": ("cxx_members", None, ["retain-cycles seed", "strong-refs seed"]),
                "stops": ("self_block", None, ["retain-cycles seed", cls.STEP, "frame select 1",
                                               "retain-cycles seed", "strong-refs seed"]),
                "core": ("captures_mixed", core, ["retain-cycles seed", "block-layout block",
                                                  "loupe leaks"] if core else [])}
            cls.given = cls.ask(runs, session.environment())
            for name, more in cls.only_without(runs).items():
                runs[name][2].extend(more)
            cls.found = cls.ask(runs, without_plugin(folder))

    @classmethod
    def only_without(cls, runs):
        """Commands that are of no use with the plugin."""
        pid = f"{cls.IDLE}[0]._process.pid"
        process = f"{cls.IDLE[1:]}[0]._process"
        kill = f"!{process}.kill() or {process}.wait()"
        return {"all": ["loupe doctor"], "members": [f"!len({cls.IDLE[1:]})"],
                "stops": [pid, cls.STEP, "frame select 1", "retain-cycles seed", pid, cls.STOP,
                          "strong-refs --incoming seed", "loupe leaks", cls.STOP, kill,
                          "retain-cycles seed"]}

    @staticmethod
    def ask(runs, env):
        results = session.carry_out(
            [{"program": session.fixture(program), "stop": session.READY, "core": core,
              "commands": commands} for program, core, commands in runs.values()], env=env)
        for result in results:
            assert not result["problem"], result["problem"]
        return {name: result["commands"] for name, result in zip(runs, results)}

    def test_all_commands_say_the_same_as_with_the_plugin(self):
        for name, commands in self.given.items():
            for one, other in zip(commands, self.found[name]):
                with self.subTest(f"{name}: {one['line']}"):
                    self.assertEqual("", other["error"])
                    self.assertEqual(session.normalised(one["output"]),
                                     session.normalised(other["output"]))
                    self.assertNotEqual("", other["output"])

    def test_doctor_says_who_answers_and_why(self):
        doctor = self.found["all"][-1]["output"]
        self.assertIn(ENGINE, doctor)
        self.assertRegex(doctor, "plugin    not loaded: lldb does not load .*libloupe_plugin.dylib: ")
        self.assertIn("not in the process", doctor)

    def test_what_stays_true_is_told_once_at_a_stop(self):
        kinds = set(self.found["again"][0]["output"].split())
        self.assertIn("READ", kinds)  # somebody may have written there
        self.assertLessEqual(kinds, {"FRAMES_END", "READ", "REGISTERS"})

    def test_a_question_of_several_rounds_gives_its_process_back(self):
        self.assertEqual("1", self.found["members"][-1]["output"])

    def test_one_process_serves_a_stop_after_the_other(self):
        first, _, _, second, _, pid, _, _, third, same, *_ = [
            command["output"] for command in self.found["stops"]]
        self.assertIn("1 leaked retain cycle through seed", first)
        self.assertEqual([session.normalised(first)] * 2,
                         [session.normalised(second), session.normalised(third)])
        self.assertEqual(pid, same)

    def test_nothing_runs_in_the_process_and_nothing_is_loaded(self):
        before, incoming, leaks, after = self.found["stops"][-6:-2]
        self.assertTrue(incoming["ok"] and leaks["ok"])
        self.assertEqual(before["output"], after["output"])

    def test_one_that_was_killed_between_two_questions_is_replaced(self):
        first, last = self.found["stops"][0], self.found["stops"][-1]
        self.assertEqual(session.normalised(first["output"]), session.normalised(last["output"]))


class Actions(unittest.TestCase):
    def test_they_read_from_outside_even_if_the_helper_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            finished = session.batch(
                "breakpoint set --name main", "process launch --stdout /dev/null", "loupe inject",
                "breakpoint set --name '-[Worker work]' --auto-continue true --command "
                "'retain-cycles -q'", "continue", program=PROGRAMS / "workers",
                env=without_plugin(folder))
        self.assertEqual(3, finished.stdout.count(", from LLDB"), finished.stdout)


class WhereTheToolIs(unittest.TestCase):
    def test_neither_by_path_nor_in_the_working_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(session.COMMANDS, pathlib.Path(folder) / "lldb_commands")
            os.rename(fake_tool.install(folder, "dies_at_once"), os.path.join(folder, "loupe"))
            env = without_plugin(folder, LOUPE_TOOL=None, PATH=f"{folder}:{os.environ['PATH']}")
            before = os.getcwd()
            os.chdir(folder)
            try:
                finished = session.batch(
                    f"breakpoint set --name {session.READY}", "process launch --stdout /dev/null",
                    "up", "strong-refs seed", program=session.fixture("self_block"),
                    commands=pathlib.Path(folder) / "lldb_commands", env=env)
            finally:
                os.chdir(before)
        self.assertIn("the command-line tool `loupe` is not built or not where it is looked for",
                      finished.stderr)


UNDERSTOOD = "error: strong-refs: TOOL is not understood: "
LATE = "error: strong-refs: the time was up before there was an answer: allow more with --timeout\n"
SAID = {
    "dies_at_once": "error: strong-refs: TOOL ended with status 3 before it answered: a library is"
                    "\\x1b[31m missing; ask again\n",
    "is_killed": "error: strong-refs: TOOL ended by signal 9 before it answered; ask again\n",
    "is_of_another_version": f"{UNDERSTOOD}it speaks version 77 of the pipe's messages, these commands "
                             "version 1: rebuild or reinstall both\n",
    "speaks_nonsense": f"{UNDERSTOOD}a message has no header of ours\n",
    "asks_for_what_there_is_not": f"{UNDERSTOOD}TARGET is not a request\n",
    "asks_for_too_much": f"{UNDERSTOOD}more is to be read than can be\n",
    "gives_no_answer": f"{UNDERSTOOD}its answer is not a JSON object\n",
    "is_silent": LATE,
    "asks_for_ever": LATE,
    "shows_its_environment": "error: strong-refs: loupe gave no answer: [KEPT]\n",
}
INTERRUPTED = "hears_an_interruption"


class WhatToolsMayDo(unittest.TestCase):
    """One lldb asks them all."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            paths = {mode: fake_tool.install(folder, mode) for mode in (INTERRUPTED, *SAID)}
            asked = [(f"!__import__('os').environ.__setitem__('LOUPE_TOOL', {path!r})",
                      f"strong-refs --timeout {0.5 if SAID.get(mode) == LATE else 1500} seed")
                     for mode, path in paths.items()]
            commands = ["!__import__('talks').survived(debugger, frame, 600)",
                        "!__import__('talks').interrupt_the_next_question(debugger)", *asked[0],
                        "!hasattr(debugger, 'CancelInterruptRequest') and "
                        "debugger.CancelInterruptRequest()",
                        *(command for commands in asked[1:] for command in commands)]
            env = without_plugin(folder, LD_BIND_NOW="1", DYLD_PRINT_LIBRARIES="1",
                                 LOUPE_RECORD="1", KEPT="1")
            [run] = session.carry_out([{"program": session.fixture("self_block"),
                                        "stop": session.READY, "commands": commands}], env=env)
        assert not run["problem"], run["problem"]
        cls.damaged = run["commands"][0]["output"]
        answers = [command["error"] for command in run["commands"]
                   if command["line"].startswith("strong-refs")]
        cls.said = {mode: error.replace(path, "TOOL")
                    for (mode, path), error in zip(paths.items(), answers)}

    def test_each_ends_the_question_with_a_sentence(self):
        for mode, said in SAID.items():
            with self.subTest(mode):
                self.assertEqual(said, self.said[mode])

    def test_an_interruption_is_passed_on(self):
        self.assertIn("heard it", self.said[INTERRUPTED])

    def test_damaged_words_are_refused(self):
        found = re.fullmatch(r"(\d+) answers, (\d+) refusals", self.damaged)
        self.assertIsNotNone(found, self.damaged)
        self.assertGreater(int(found[1]), 30)
        self.assertGreater(int(found[2]), 200)


if __name__ == "__main__":
    unittest.main()
