"""loupe break: breakpoints at methods that lldb has no names for."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import session

PROGRAMS = session.BUILD / "tests" / "lldb" / "programs"
GNUSTEP = session.BUILD / "tests" / "gnustep" / "gobjc" / "holders"
SET = re.compile(r"Breakpoint (\d+): (\S\[.*?\]) at (0x[0-9a-f]+) in (\S+)\n")
GO_ON = ("!process.Continue() and None or [process.GetSelectedThread().GetStopReasonDataAtIndex(0), "
         "process.GetSelectedThread().GetFrameAtIndex(0).GetPC()]")


LATER = PROGRAMS / "later"
LIBOBJC2 = session.BUILD / "tests" / "libobjc2" / "assoc_pair"
ONLY_MEMORY = {"LOUPE_ENGINE": "memory"}


def ask(program, *commands, stop="main", **variables):
    [run] = session.carry_out([{"program": str(program), "stop": stop, "frame": 0,
                                "commands": list(commands)}], env=session.environment(**variables))
    assert not run["problem"], run["problem"]
    return [result["output"] + result["error"] for result in run["commands"]]


def without_places(text):
    return re.sub(r"0x[0-9a-f]+", "0x", text)


def waits(what, why, number=2):
    return (f"Breakpoint {number}: {what}, pending: {why}; Loupe looks for the class at main(), after dlopen() and "
            "objc_registerClassPair()\n")


class OnTheDouble(unittest.TestCase):
    def test_it_is_where_lldb_puts_its_own(self):
        for program, method in (("cells", "-[Cell show]"), ("holders", "+[Service shared]")):
            place = ("![hex(where.GetLoadAddress()) for name in (2, 3) for where in "
                     "target.FindBreakpointByID(name)]")
            said, _, places = ask(PROGRAMS / program, f"loupe break '{method}'",
                                  f"breakpoint set --name '{method}'", place)
            self.assertEqual(("2", method, program), SET.fullmatch(said).group(1, 2, 4))
            ours, lldbs = re.findall(r"0x\w+", places)
            self.assertEqual(lldbs, ours)

    def test_a_method_of_a_category_stops(self):
        said, stopped = ask(PROGRAMS / "holders", "loupe break +[View pooled]", GO_ON)
        self.assertEqual(("2", "+[View pooled]"), SET.fullmatch(said).group(1, 2))
        self.assertTrue(stopped.startswith("[2, "), stopped)

    def test_the_name_may_have_its_category_and_spaces(self):
        [said] = ask(PROGRAMS / "holders", "loupe break  '+[ View(Pool)  pooled ]'")
        self.assertEqual("+[View pooled]", SET.fullmatch(said)[2])

    def test_an_inherited_method_is_said_to_be(self):
        [said] = ask(PROGRAMS / "cells", "loupe break -[Cell init]")
        first, second = said.splitlines()
        self.assertEqual("-[NSObject init]", SET.fullmatch(first + "\n")[2])
        self.assertEqual("-[Cell init] is inherited: this stops for every class that has it from "
                         "NSObject", second)

    def test_a_class_answers_by_a_method_of_the_instances_of_its_root(self):
        [said] = ask(PROGRAMS / "cells", "loupe break +[Cell init]")
        self.assertTrue(said.startswith("Breakpoint 2: -[NSObject init] at "), said)
        self.assertIn("\n+[Cell init] is inherited: ", said)

    def test_nothing_is_run_in_the_program_for_it(self):
        said, dealloc, stopped = ask(PROGRAMS / "holders", "loupe break +[Service shared]",
                                     "loupe break -[Service dealloc]", GO_ON, **ONLY_MEMORY)
        self.assertEqual(("2", "+[Service shared]"), SET.fullmatch(said).group(1, 2))
        self.assertTrue(dealloc.startswith("Breakpoint 3: -[NSObject dealloc] at "), dealloc)
        self.assertTrue(stopped.startswith("[2, "), stopped)

    def test_what_is_not_there_is_said_without_a_call(self):
        nobody, nothing = ask(PROGRAMS / "cells", "loupe break -[Nope show]", "loupe break +[Cell show]",
                              **ONLY_MEMORY)
        self.assertEqual(waits("-[Nope show]", "no class is named Nope in the process now"), nobody)
        self.assertIn("; there is -[Cell show]\n", nothing)

    def test_a_breakpoint_action_may_set_one(self):
        """While the program waits in malloc, where no call may be made."""
        finished = session.batch("breakpoint set -n main", "process launch", "breakpoint set -n calloc",
                                 "breakpoint command add -o 'loupe break +[Service shared]' 2", "continue",
                                 "breakpoint disable 2", "continue", program=PROGRAMS / "holders")
        self.assertIn(": +[Service shared] at 0x", finished.stdout)
        self.assertNotIn("error: loupe break", finished.stderr)
        self.assertRegex(finished.stdout, r"stop reason = breakpoint 3\.1\n.*\+\[Service shared\]")

    def test_errors_say_what_happened(self):
        errors = {
                "-[Cell hide:]": "Cell has no such method for instances, nor has a superclass: "
                                 "-[Cell hide:]; each argument has its colon in the name",
                "+[Cell show]": "Cell has no such method for itself, nor has a superclass: "
                                "+[Cell show]; there is -[Cell show]",
                "-[Cell alloc]": "Cell has no such method for instances, nor has a superclass: "
                                 "-[Cell alloc]; there is +[Cell alloc]",
                "[Cell show]": "[Cell show] is not a method: name a method as -[NSWindow close] or "
                               "+[NSDate date]",
                "-[Cell;show]": "-[Cell;show] is not a method: name a method as -[NSWindow close] or "
                                  "+[NSDate date]",
                "": "no method given: name a method as -[NSWindow close] or +[NSDate date]"}
        said = ask(PROGRAMS / "cells", *(f"loupe break {text}" for text in errors))
        self.assertEqual([f"error: loupe break: {error}\n" for error in errors.values()], said)

    def test_before_the_program_runs_it_waits(self):
        finished = session.batch("loupe break +[Service shared]", "run", "bt 1", program=PROGRAMS / "holders")
        self.assertIn(waits("+[Service shared]", "there is no process yet", 1), finished.stdout)
        self.assertRegex(finished.stdout, r"\nBreakpoint 1: \+\[Service shared\] at 0x\w+ in holders\n")
        self.assertRegex(finished.stdout, r"stop reason = breakpoint 1\.1\n.*\+\[Service shared\]")
        self.assertIn("error: loupe break: [Cell show] is not a method",
                      session.batch("loupe break [Cell show]", program=PROGRAMS / "cells").stderr)
        self.assertIn("error: loupe break: no process: run the program",
                      session.batch("loupe break -[Cell show]").stderr)

    def test_where_no_runtime_is_it_waits(self):
        if not (PROGRAMS / "locked").exists():
            self.skipTest("the program is one for glibc")
        [said] = ask(PROGRAMS / "locked", "loupe break -[Cell show]")
        self.assertIn("Breakpoint 2: -[Cell show], pending: there is no function objc_lookUpClass in the process",
                      said)

    @unittest.skipUnless(os.uname().sysname == "Linux", "lldb saves cores of the kind there")
    def test_it_is_refused_on_a_core(self):
        program = str(PROGRAMS / "cells")
        with tempfile.TemporaryDirectory() as directory:
            core = os.path.join(directory, "cells.dmp")
            [said] = ask(program, f"process save-core --plugin-name=minidump --style=full {core}")
            if not os.path.exists(core):
                raise unittest.SkipTest(f"lldb saves no core: {said}")
            [run] = session.carry_out([{"program": program, "stop": "main", "core": core,
                                        "commands": ["loupe break -[Cell show]"]}])
        self.assertEqual("", run["problem"])
        self.assertEqual("error: loupe break: a core file runs no code that could stop: start the "
                         "program, or attach to it\n", run["commands"][0]["error"])

    @unittest.skipUnless(os.uname().sysname == "Linux", "the program is one for glibc")
    def test_it_is_refused_where_the_runtime_may_wait(self):
        for argument, why in (("malloc", "thread 1 is in malloc (malloc)"),
                              ("loader", "thread 2 is in the loader (dl_iterate_phdr)")):
            [run] = session.carry_out([{"program": str(PROGRAMS / "locked"), "stop": "locked_here",
                                        "arguments": [argument],
                                        "commands": ["loupe break -[Cell show]"]}])
            self.assertEqual("error: loupe break: the lists of methods cannot be read: no Objective-C "
                             "runtime that Loupe knows in the target; the runtime cannot be asked here: "
                             f"{why}, and the question may wait for it; go on to another stop "
                             "(finish, continue)\n", run["commands"][0]["error"])


@unittest.skipUnless(GNUSTEP.exists() and shutil.which("objcopy"), "no GNUstep here, or no objcopy")
class OnGNUstep(unittest.TestCase):
    """In a program without the names of its methods, on libraries that have none."""

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.program = os.path.join(directory.name, "holders")
        subprocess.run(["objcopy", "--strip-all", "--keep-symbol=main", str(GNUSTEP), cls.program],
                       check=True)

    def check_stop(self, command, method, module):
        said, stopped = ask(self.program, command, GO_ON, **ONLY_MEMORY)
        match = SET.match(said)
        self.assertTrue(match, said)
        number, name, address, where = match.groups()
        self.assertEqual(method, name)
        self.assertRegex(where, module)
        self.assertEqual(f"[{number}, {int(address, 16)}]", stopped)
        return said

    def test_a_method_of_the_program_stops(self):
        said = self.check_stop("loupe break '-[Single retain]'", "-[Single retain]", "holders")
        self.assertNotIn("inherited", said)

    def test_an_inherited_method_of_a_category_of_the_library_stops(self):
        method = "performSelector:withObject:afterDelay:"
        said = self.check_stop(f"loupe break -[Listener {method}]", f"-[NSObject {method}]",
                                     "libgnustep-base")
        self.assertIn(f"\n-[Listener {method}] is inherited: this stops for every class that has it "
                      "from NSObject\n", said)

    def test_a_method_of_the_class_stops(self):
        self.check_stop("loupe break +[NSTimer scheduledTimerWithTimeInterval:target:selector:userInfo:"
                        "repeats:]", "+[NSTimer scheduledTimerWithTimeInterval:target:selector:"
                        "userInfo:repeats:]", "libgnustep-base")


@unittest.skipUnless(LATER.exists(), "no GNUstep here")
class Later(unittest.TestCase):
    """Of a stripped library that is loaded when the program runs, and of a class that it makes."""

    def run_to(self, *lines):
        effects = PROGRAMS / "effects.so"
        return session.batch(f"settings set target.run-args {effects}", *lines, "kill", program=LATER,
                             env=session.environment(**ONLY_MEMORY)).stdout

    def test_methods_get_their_places(self):
        text = self.run_to("b main", "loupe break '-[Made step]'", "run", "loupe break '-[Blur setUp]'",
                           "loupe break -[Blur apply:]", "continue", "bt 2", "continue", "bt 2", "breakpoint list",
                           "continue", "bt 1", "breakpoint list")
        self.assertIn(waits("-[Made step]", "there is no process yet"), text)
        self.assertIn("pending: no class is named Blur in the process now; ", text)
        setup, apply = (re.search(rf"\nBreakpoint (\d+): {re.escape(method)} at 0x\w+ in effects\.so\n", text)[1]
                        for method in ("-[Blur setUp]", "-[Effect apply:]"))
        self.assertIn("\n-[Blur apply:] is inherited: this stops for every class that has it from Effect\n", text)
        self.assertRegex(text, rf"stop reason = breakpoint {setup}\.1\n.*`(.*\n)*?.*frame #1: \S+ later`main\(")
        self.assertRegex(text, rf"stop reason = breakpoint {apply}\.1\n")
        first, last = text.split("Current breakpoints:\n")[1:]
        self.assertRegex(first, r"\n2: loupe = '-\[Made step\]', locations = 0 \(pending\)\n")
        self.assertIn("lldb_commands.running.pending.", first)
        self.assertRegex(text, r"\nBreakpoint 2: -\[Made step\] at 0x\w+ in later\n")
        self.assertRegex(text, r"stop reason = breakpoint 2\.1\n.*`step")
        self.assertNotIn("lldb_commands.running.pending.", last)  # nothing waits any longer

    def test_an_instance_of_a_class_that_comes_later(self):
        text = self.run_to("loupe watch --class Blur --stop-at 2", "run", "bt 3")
        self.assertIn(waits("instance 2 of Blur", "there is no process yet", 1), text)
        self.assertIn("\nBreakpoint 1: instance 2 of Blur from now on, once\n", text)
        program = (session.SOURCE / "tests" / "lldb" / "programs" / "later.m").read_text().splitlines()
        [second] = (number for number, line in enumerate(program, 1) if "second = " in line)
        self.assertRegex(text, rf"stop reason = one-shot breakpoint 1\n(.*\n)*?.*main.* at later\.m:{second}:")

    def test_the_documentation_shows_it(self):
        page = (session.SOURCE / "docs" / "commands.md").read_text()
        [sample] = re.findall(r"^```text\n(\(lldb\) loupe break .*?)^```$", page, re.M | re.S)
        first, waiting, run, placed = sample.splitlines()
        text = self.run_to(first.replace("(lldb) ", ""), run.replace("(lldb) ", ""))
        self.assertIn(f"{first}\n{waiting}\n{run}\n", text)
        self.assertIn(without_places(f"\n{placed}\n"), without_places(text))

    def test_who_deletes_it_waits_no_longer(self):
        text = self.run_to("loupe break '-[Blur setUp]'", "breakpoint delete 1", "run")
        self.assertNotIn(" at 0x", text)
        self.assertIn("exited with status = 0", text)


@unittest.skipUnless(LIBOBJC2.exists() and shutil.which("objcopy"), "no libobjc2 here, or no objcopy")
class OnLibobjc2(unittest.TestCase):
    def test_a_method_of_a_stripped_program_stops(self):
        with tempfile.TemporaryDirectory() as directory:
            program = os.path.join(directory, "assoc_pair")
            subprocess.run(["objcopy", "--strip-all", "--keep-symbol=main", str(LIBOBJC2), program],
                           check=True)
            for method, found in (("-[Host dealloc]", "NSObject|Host"), ("+[Host alloc]", "NSObject|Host")):
                said, stopped = ask(program, f"loupe break '{method}'", GO_ON, **ONLY_MEMORY)
                number, name, address, _ = SET.match(said).groups()
                self.assertRegex(name, rf"\[({found}) ")
                self.assertEqual(f"[{number}, {int(address, 16)}]", stopped)


if __name__ == "__main__":
    unittest.main()
