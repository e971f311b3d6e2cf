"""Objects that were freed: said before anything that is built on what is left of them."""
import json
import platform
import re
import unittest

import session

ENGINES = ("memory", "helper")
DANGLING = session.BUILD / "tests" / "leaks" / "dangling"
PROGRAM = session.BUILD / "tests" / "lldb" / "programs" / "freed"
LEAVES = session.BUILD / "tests" / "gnustep" / "gobjc" / "leaves"
CHUNK = "malloc has its memory among the free chunks"
IN_A_CHUNK = f"was freed: {CHUNK}"
REST = "; the answer is about what is left of it"


def normalised(text):
    return re.sub(r"0x[0-9a-f]{6,}", "<A>", text)


@unittest.skipUnless(platform.libc_ver()[0] == "glibc", "malloc is not glibc's")
class Freed(unittest.TestCase):
    maxDiff = None

    def ask(self, lines):
        [run] = session.carry_out([{"program": str(PROGRAM), "stop": "freedReady", "frame": 1,
                                    "commands": lines}])
        self.assertEqual("", run["problem"])
        return run["commands"]

    def test_one_whose_isa_is_gone(self):
        for engine in ENGINES:
            [result] = self.ask([f"strong-refs --engine {engine} cached"])
            self.assertEqual("error: strong-refs: cached (<A>) is not an object: it "
                             f"{IN_A_CHUNK}; strong-refs --incoming says who still points there\n",
                             normalised(result["error"]))

    def test_who_still_points_there(self):
        for engine in ENGINES:
            for command, variable, was in (("retain-cycles", "cached", ""), ("strong-refs --incoming", "cached", ""),
                                           ("retain-cycles", "merged", ""), ("strong-refs --incoming", "merged", "")):
                with self.subTest(engine, command=command, variable=variable):
                    [result] = self.ask([f"{command} --engine {engine} {variable}"])
                    self.assertEqual(f"error: {command.split()[0]}: {variable} (<A>) {IN_A_CHUNK}; no reference from an "
                                     "object still points there\n", normalised(result["error"]))

    def test_one_that_reads_as_well_as_ever(self):
        for engine in ENGINES:
            for command in ("strong-refs", "ivar-layout"):
                with self.subTest(engine, command=command):
                    [result] = self.ask([f"{command} --engine {engine} merged"])
                    name = "<A>" if command == "ivar-layout" else "Large <A>"
                    self.assertEqual(f"{name} {IN_A_CHUNK}{REST}",
                                     normalised(result["output"]).splitlines()[1])

    def test_a_variable_whose_scope_ended_may_be_stale(self):
        [result] = self.ask(["strong-refs --incoming guard"])
        self.assertRegex(normalised(result["output"]),
                         r"\n  (ended \(local of main, thread 1|stack of main, "
                         r"thread 1 \(<A>\)), possibly stale\)?\n")
        self.assertIn("\n  guard (local of main, thread 1)\n", result["output"])

    def test_after_a_crash_the_question_is_offered(self):
        """The double looks for the method in a function of its own, with other arguments."""
        finished = session.batch("process launch -- crash", program=PROGRAM)
        self.assertIn("Was the receiver", finished.stdout)
        self.assertIn("    loupe leaks   (its section Dangling references)\n", finished.stdout)

    def test_a_stop_where_one_object_dies(self):
        finished = session.batch("breakpoint set -n freedReady", "process launch", "up",
                                 "loupe break --dealloc guard", "continue", "bt 2", program=PROGRAM)
        [guard] = re.findall(r"-\[NSObject dealloc\] of Large (0x\w+), once\n", finished.stdout)
        self.assertNotIn("Was the receiver", finished.stdout)  # at no other stop
        self.assertRegex(finished.stdout, rf"NSObject dealloc\]\(self=0x0*{guard[2:]}, ")

    def test_a_live_one_beside_them(self):
        for engine in ENGINES:
            [result] = self.ask([f"strong-refs --engine {engine} guard"])
            self.assertNotIn("freed", result["output"])


class Dangling(unittest.TestCase):
    maxDiff = None
    clear = "(make it weak, or set it to nil before the object is freed)"

    def ask(self, *lines):
        [run] = session.carry_out([{"program": str(DANGLING), "stop": "danglingReady", "frame": 1, "commands": lines}])
        self.assertEqual("", run["problem"])
        return run["commands"]

    def test_who_still_points_there(self):
        of_cells = f"was freed: {CHUNK}; 3 × FeedCell._owner (of <A> and 2 more) still point there {self.clear}\n"
        of_view = f"was freed: {CHUNK}; MessageView._delegate of <A> still points there {self.clear}\n"
        of_album = f"was freed, it was of class Album: a zombie stands in its place; Player._album of <A> still points " \
                   f"there {self.clear}\n"
        for line, name, want in (("strong-refs --incoming", "cells[0]->_owner", of_cells),
                                 ("retain-cycles", "cells[0]->_owner", of_cells),
                                 ("retain-cycles --engine helper", "view->_delegate", of_view),
                                 ("strong-refs --incoming", "view->_delegate", of_view),
                                 ("retain-cycles", "player->_album", of_album)):
            [result] = self.ask(f"{line} {name}")
            self.assertEqual(f"error: {line.split()[0]}: {name} (<A>) {want}", normalised(result["error"]))
            self.assertEqual("", result["output"].strip())

    def test_as_json(self):
        [asked, of_zombie] = self.ask("strong-refs --incoming --json cells[0]->_owner",
                                      "strong-refs --incoming --json player->_album")
        answer = json.loads(asked["output"])
        self.assertEqual(("error", "freed", 3), (answer["status"], answer["error"]["detail"], answer["dangling_found"]))
        self.assertEqual({"certain": True, "why": CHUNK, "class": None}, answer["freed"])
        self.assertEqual([("FeedCell", "_owner", 3)],
                         [(each["class"], each["path"], each["count"]) for each in answer["dangling"]])
        answer = json.loads(of_zombie["output"])
        self.assertEqual(("ok", "Album", 1), (answer["status"], answer["freed"]["class"], answer["dangling_found"]))

    def test_a_zombie_comes_first(self):
        """Not other freed objects, nor a count of retains that means nothing."""
        [result] = self.ask("strong-refs --incoming player->_album")
        lines = normalised(result["output"]).split("\n")
        self.assertEqual(["player->_album (_NSZombie_Album <A>) was freed, it was of class Album: a zombie stands in its "
                          f"place; Player._album of <A> still points there {self.clear}", "",
                          "  _album  ivar, assumed  of Player <A>"], lines[:3])
        self.assertEqual([], [line for line in lines if line.startswith(("Retain count", "It alone keeps"))])
        self.assertEqual([], [line for line in lines if " points to a freed object " in line])


@unittest.skipUnless(LEAVES.exists(), "GNUstep is not installed")
class OnGNUstep(unittest.TestCase):
    maxDiff = None

    def ask(self, zombies, *lines):
        finished = session.batch(f"settings set target.env-vars NSZombieEnabled={zombies}",
                                 "breakpoint set -n watched_verdict", "run", "up", *lines,
                                 program=LEAVES)
        return normalised(finished.stdout + finished.stderr)

    def test_a_freed_one(self):
        self.assertIn("guard (<A>) was freed: its isa is <A>, which gnustep-base writes there last; no reference from "
                      "an object still points there", self.ask("NO", "retain-cycles --timeout 1800 guard"))

    def test_a_stop_at_an_instance(self):
        text = normalised(session.batch("breakpoint set -n main", "run", "loupe watch --class Settings --stop-at 1",
                                        "continue", "bt 2", program=LEAVES).stdout)
        self.assertIn("instance 1 of Settings from now on, once\n", text)
        self.assertRegex(text, r"stop reason = one-shot breakpoint 2\n.*`NSAllocateObject\n.*main at main.m")

    def test_an_abort_by_a_zombie_is_known_without_symbols(self):
        program = session.BUILD / "tests" / "lldb" / "programs" / "zombie_gnustep"
        for ends, names in (("YES", "false"), ("YES", "true"), ("NO", "false")):  # those of glibc's debug information
            text = session.batch(f"settings set symbols.enable-external-lookup {names}",
                                 f"settings set target.env-vars NSZombieEnabled=YES CRASH_ON_ZOMBIE={ends}",
                                 "run", program=program).stdout
            self.assertEqual(ends == "YES", "signal SIGABRT" in text, text)
            self.assertEqual(ends == "YES", "Was the receiver of this message freed?" in text, text)

    def test_what_is_offered_after_a_crash_has_the_answer(self):
        """Of a freed receiver its address is offered, of a zombie all dangling references."""
        program = session.BUILD / "tests" / "lldb" / "programs" / "zombie_gnustep"
        ends = "settings set target.env-vars NSZombieEnabled={} CRASH_ON_ZOMBIE=YES"
        crashed = session.batch(ends.format("NO"), "run", program=program).stdout
        self.assertIn("stop reason = signal SIGSEGV", crashed)
        self.assertRegex(crashed, r"freed\? Who still points to it:\n    strong-refs --incoming 0x\w+\n    loupe leaks ")
        [run] = session.carry_out([{"program": str(program), "stop": "main", "frame": 0,
                                    "commands": ["continue", "strong-refs --incoming envelope->_letter"]}])
        self.assertIn("signal SIGSEGV", run["commands"][0]["output"])
        self.assertRegex(normalised(run["commands"][1]["error"]),
                         r"\(<A>\) was freed: its isa is <A>, which gnustep-base writes there last; "
                         r"Envelope\._letter of <A>( \(zombie\.m:13\))? still points there \(set it to nil before the object is freed")
        crashed = session.batch(ends.format("YES"), "run", program=program).stdout
        self.assertIn("stop reason = signal SIGABRT", crashed)
        self.assertIn("Was the receiver of this message freed? Who still points to freed objects:\n    loupe leaks ", crashed)
        self.assertIn("Envelope._letter (zombie.m:13) → a freed Letter ",
                      session.batch(ends.format("YES"), "breakpoint set -n abort", "run", "loupe leaks", program=program).stdout)

    def test_a_zombie(self):
        text = self.ask("YES", "strong-refs guard", "strong-refs --incoming --timeout 1800 guard",
                        "retain-cycles --timeout 1800 guard")
        self.assertIn("NSZombie <A> was freed, it was of class Settings: a zombie stands in its "
                      f"place{REST}\n", text)
        self.assertIn("guard (NSZombie <A>) was freed, it was of class Settings: a zombie stands in its place; ", text)
        self.assertRegex(text, r"error: retain-cycles: guard \(<A>\) was freed, it was of class Settings: a zombie")


if __name__ == "__main__":
    unittest.main()
