"""Where the helper is loaded into a process, and where not: locks, namesakes, what is left behind."""
import json
import os
import re
import tempfile
import unittest

import session

PROGRAMS = session.BUILD / "tests" / "lldb" / "programs"
CALLED = "!frame.EvaluateExpression('called').unsigned"


def locked(argument, *commands, **environment):
    run = {"program": str(PROGRAMS / "locked"), "stop": "locked_here", "arguments": [argument],
           "commands": list(commands)}
    [result] = session.carry_out([run], env=session.environment(**environment))
    return result


@unittest.skipUnless(os.uname().sysname == "Linux", "the program is one for glibc")
class Locks(unittest.TestCase):
    def refused(self, argument, *words):
        result = locked(argument, "loupe inject", "strong-refs --engine helper 0x1000",
                        "loupe doctor", "!process.Continue().Success()")
        self.assertEqual("", result["problem"])
        for question in result["commands"][:2]:
            self.assertFalse(question["ok"])
            for word in ("nothing can be loaded here: ", *words,
                         "go on to another stop (finish, continue), or try --engine memory"):
                self.assertIn(word, question["error"])
        self.assertIn("not in the process", result["commands"][2]["output"])

    def test_in_malloc_of_the_program(self):
        self.refused("malloc", "thread 1 is in malloc (malloc)")

    def test_another_thread_in_the_loader(self):
        self.refused("loader", "thread 2 is in the loader (dl_iterate_phdr)")

    def test_another_thread_with_the_lock_of_the_loader(self):
        # Where LLDB has no debug information of the C library it tells that by the thread's frames.
        self.refused("word", "thread 2 ", " the loader")

    def test_names_that_only_look_like_it(self):
        result = locked("free", "loupe inject", "loupe inject")
        self.assertEqual("", result["problem"])
        first, second = result["commands"]
        self.assertEqual("", first["error"])
        self.assertIn("loaded ", first["output"])
        self.assertIn("the helper is in the process already", second["output"])


class Probes(unittest.TestCase):
    def test_no_code_of_the_program_is_run_where_it_would_wait_for_a_lock(self):
        [result] = session.carry_out([{
            "program": str(PROGRAMS / "things"), "stop": "thingsReady", "frame": 2, "commands": [
                "ivar-layout --probe thing", "!target.BreakpointCreateByName('free').IsValid()",
                "!process.Continue().Success()",
                "!process.GetSelectedThread().SetSelectedFrame(1).IsValid()",
                "ivar-layout --probe thing", "ivar-layout --engine helper thing"]}])
        self.assertEqual("", result["problem"])
        before, *_, probe, plain = result["commands"]
        self.assertTrue(before["ok"], before["error"])
        # free() has two names, and which one LLDB takes depends on the debug information that it has.
        self.assertEqual("error: ivar-layout: the probe cannot run code of the program here: thread 1 "
                         "is in malloc (free), and that may wait for it; go on to another stop "
                         "(finish, continue), or leave --probe out\n",
                         probe["error"].replace("(__libc_free)", "(free)"))
        self.assertTrue(plain["ok"], plain["error"])


class OnlyMemory(unittest.TestCase):
    """LOUPE_ENGINE=memory. Whether anything ran is what the program's own counter, LLDB's count of stops,
    those of expressions among them, and the list of images say."""

    RUNS_CODE = ("loupe inject", "strong-refs --engine helper thing", "ivar-layout --probe thing",
                 "block-layout --probe thing->_handler", "retain-cycles --engine helper thing",
                 "loupe backtraces --engine helper", "loupe watch thing", "loupe watch --rules /nowhere",
                 "loupe history --engine helper thing", "loupe allocated --engine helper thing",
                 *(f"{verb} calledByExpressions()" for verb in (
                     "retain-cycles", "strong-refs", "block-layout", "ivar-layout", "loupe path", "loupe show",
                     "loupe retained", "loupe cycles", "loupe history", "loupe allocated", "loupe watch")),
                 "strong-refs --incoming --from calledByExpressions() thing")
    READS = ("retain-cycles thing", "retain-cycles --all", "strong-refs thing", "strong-refs --incoming thing",
             "block-layout thing", "ivar-layout thing", "loupe allocated thing", "loupe backtraces",
             "loupe cycles", "loupe doctor", "loupe find Thing", "loupe heap", "loupe leaks", "loupe mark",
             "loupe break '-[Thing init]'", "loupe break --dealloc thing", "loupe diff", "loupe path thing",
             "loupe retained thing", "loupe show thing", "loupe suspects", "loupe threads",
             "loupe snapshot {here}/things.loupe", "loupe sql 'select count(*) from objects'",
             "loupe summary", "loupe history thing", "loupe history", "loupe watch list",
             "loupe ignore --baseline {here}/known #1", "loupe fix")
    TRACES = ("!target.GetNumModules()", "!process.GetStopID(True)",
              "!target.FindFirstGlobalVariable('numCalls').GetValueAsUnsigned()")

    def ask(self, *commands, **environment):
        with tempfile.TemporaryDirectory() as here:
            [result] = session.carry_out([{
                "program": str(PROGRAMS / "things"), "stop": "thingsReady", "frame": 2,
                "commands": [line.format(here=here) for line in (*self.TRACES, *commands, *self.TRACES)]}],
                env=session.environment(**environment))
        self.assertEqual("", result["problem"])
        answers, count = result["commands"], len(self.TRACES)
        before, after = ([one["output"] for one in some] for some in (answers[:count], answers[-count:]))
        return answers[count:-count], before, after

    def test_nothing_runs_in_the_program(self):
        answers, before, after = self.ask(*self.RUNS_CODE, *self.READS, LOUPE_ENGINE="memory")
        for question in answers[:len(self.RUNS_CODE)]:
            with self.subTest(question["line"]):
                said = re.fullmatch("error: [^:]*: (this|evaluating .*) would run code in the program, and "
                                    "LOUPE_ENGINE=memory forbids it(: give a variable .*)?\n", question["error"])
                self.assertTrue(said, question["error"])
                self.assertEqual("calledBy" in question["line"], said[1] != "this", "what would, where it was typed")
        for question in answers[len(self.RUNS_CODE):]:
            self.assertNotIn("would run code", question["error"], question["line"])
        self.assertEqual(before, after)
        [doctor] = [one for one in answers if one["line"] == "loupe doctor"]
        self.assertIn("nothing runs in the program (LOUPE_ENGINE=memory)", doctor["output"])

    def test_what_runs_in_it_else_is_seen(self):
        _, before, after = self.ask("strong-refs calledByExpressions()")
        self.assertEqual(["0", "1"], [before[2], after[2]])
        self.assertNotEqual(before[1], after[1])

    def test_every_command_is_tried(self):
        table = json.loads((session.SOURCE / "lldb_commands" / "verbs.json").read_text(encoding="utf-8"))
        names = {verb["lldb"]["command"] for verb in table["verbs"] if verb["lldb"]}
        tried = {name for name in names for line in (*self.RUNS_CODE, *self.READS)
                 if re.match(rf"{name}(?= |$)", line)}
        self.assertEqual(names, tried)


class Said(unittest.TestCase):
    def test_the_first_command_that_runs_code_says_so(self):
        done = session.batch("breakpoint set -n thingsReady", "run", "up 2", "strong-refs thing",
                             "strong-refs calledByExpressions()", "loupe inject", "kill",
                             program=PROGRAMS / "things")
        said = [line for line in (done.stdout + done.stderr).splitlines(True) if "in the program (said" in line]
        self.assertEqual([session.said_once("strong-refs", "evaluated an expression")], said)


class CutOff(unittest.TestCase):
    """A library whose loading does not end."""

    @unittest.skipUnless(os.uname().sysname == "Linux", "built for ELF")
    def test_what_may_be_broken_is_said_and_nothing_is_loaded_any_more(self):
        slow = session.BUILD / "tests" / "lldb" / "programs" / "libslow.so"
        result = locked("free", "loupe inject --timeout 1", "loupe inject",
                        "strong-refs --engine helper 0x1000", LOUPE_HELPER=str(slow))
        self.assertEqual("", result["problem"])
        first, *later = [question["error"] for question in result["commands"]]
        self.assertIn(f"loading {slow} was cut off: it took longer than --timeout; now thread 1 "
                      "holds a lock of the loader", first)
        self.assertIn("the program may hang or crash later", first)
        for error in later:
            self.assertIn("nothing is loaded into this process any more: loading ", error)


class Namesakes(unittest.TestCase):
    def test_no_function_of_the_program_is_taken_for_the_helpers(self):
        [result] = session.carry_out([{
            "program": str(PROGRAMS / "namesakes"), "stop": "namesakesReady", "commands": [
                "retain-cycles thing", "loupe doctor", CALLED, "loupe inject",
                "retain-cycles --engine helper thing", "loupe doctor", CALLED]}])
        self.assertEqual("", result["problem"])
        plain, before, none, inject, helper, after, still_none = result["commands"]
        self.assertIn(", from LLDB", plain["output"])
        self.assertIn("not in the process", before["output"])
        self.assertIn("loaded ", inject["output"] + inject["error"])
        self.assertIn(", in-process", helper["output"] + helper["error"])
        self.assertIn("in the process, version ", after["output"])
        self.assertNotIn("version 99", after["output"])
        self.assertEqual(["0", "0"], [none["output"], still_none["output"]])


if __name__ == "__main__":
    unittest.main()
