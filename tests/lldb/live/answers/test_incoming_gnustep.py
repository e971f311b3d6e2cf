"""strong-refs --incoming on a real GNUstep: what gnustep-base keeps outside of ivars."""
import json
import unittest

import session

PROGRAM = session.BUILD / "tests" / "gnustep" / "gobjc" / "holders"


CLASSES = ["NSObject", "GSMutableArray", "NSRunLoop"]


def ask(name, mark="~"):
    return f"strong-refs --explain --incoming {mark}{name}"


class Holders(unittest.TestCase):
    maxDiff = None
    questions = ["timed", "delayed", "argument", "pooled", "token", "observing", "shared", "taken",
                 "single"]

    @classmethod
    def setUpClass(cls):
        if not PROGRAM.exists():
            raise unittest.SkipTest("no GNUstep here")
        [run] = session.carry_out([{"program": str(PROGRAM), "stop": session.READY, "frame": 1,
                                    "commands": [*map(ask, cls.questions),
                                                 *(f"ivar-layout {name}" for name in CLASSES)]}])
        assert not run["problem"], run["problem"]
        cls.layouts = [result["output"] + result["error"]
                       for result in run["commands"][len(cls.questions):]]
        cls.texts = {name: result["output"] + result["error"]
                     for name, result in zip(cls.questions, run["commands"])}

    def test_classes_without_a_linker_symbol(self):
        """gnustep-base has those of the system without symbols of their own classes."""
        for name, text in zip(CLASSES, self.layouts):
            self.assertRegex(text, rf"\A{name}( : \w+)*, \d+ bytes", text)

    def check(self, name, *lines):
        """These lines, in this order; what is between them depends on the version."""
        rest = [line.strip() for line in session.normalised(self.texts[name]).splitlines()]
        for line in lines:
            found = [index for index, other in enumerate(rest) if other.startswith(line)]
            self.assertTrue(found, f"no {line!r} in\n" + "\n".join(rest))
            rest = rest[found[0] + 1:]

    def leads_with(self, name, verdict):
        self.assertIn(f") {verdict}", self.texts[name].splitlines()[0])

    def test_a_scheduled_timer_is_held_by_its_run_loop(self):
        self.check("timed", "_target  target  of NSTimer", "from libgnustep-base",
                   "_runLoopInfo → GSRunLoopThreadInfo", "loop → NSRunLoop",
                   "_contextMap → NSMapTable", '["NSDefaultRunLoopMode"] → GSRunLoopCtxt',
                   "timers → NSTimer",
                   "Retain count 1: all from the 1 reference above")

    def test_a_delayed_performer_holds_its_target_and_its_argument(self):
        for name, edge in (("delayed", "target  target"), ("argument", "argument  ivar")):
            self.check(name, f"{edge}  of GSTimedPerformer", "_runLoopInfo → GSRunLoopThreadInfo",
                       "loop → NSRunLoop", "_timedPerformers → ", "[0] → GSTimedPerformer",
                       "Retain count 1: all from the 1 reference above")

    def test_the_pool_of_the_thread_holds_it(self):
        self.check("pooled", "[0]  element  of NSAutoreleasePool",
                   "_autorelease_vars.current_pool → NSAutoreleasePool",
                   "Retain count 1: all from the 1 reference above")
        self.assertNotIn("autorelease pools", self.texts["pooled"].split("Not searched")[-1])

    def test_the_center_holds_the_observer_that_it_made(self):
        self.check("token", "observers  element  of NSNotificationCenter",
                   "Retain count 1: all from the 1 reference above")

    def test_the_center_does_not_hold_an_observer(self):
        self.check("observing", "~observing (Listener <A1>) is leaked, a release is missing: 1 of its 1 retain has no "
                   "owner", "No object holds it", "Not counted:",
                   "observers  element, unretained  of NSNotificationCenter",
                   "Retain count 1: 1 retain unaccounted for")

    def test_a_release_is_missing_although_an_array_holds_it(self):
        self.leads_with("shared", "is leaked, a release is missing: 1 of its 2 retains has no owner")
        self.check("shared", "[0]  element  of NSMutableArray", "from first (static in main.m)",
                   "Retain count 2: 1 reference, 1 retain unaccounted for")

    def test_two_arrays_hold_what_counts_one_retain(self):
        self.check("taken", "[1]  element  of NSMutableArray", "[0]  element  of NSMutableArray",
                   "Retain count 1: 2 references, 1 more than retains")
        self.leads_with("taken", "is over-released: 2 references own it, its retain count is 1")

    def test_the_count_of_a_class_with_a_release_of_its_own_proves_nothing(self):
        self.leads_with("single", "is held: a root reaches it; its retain count is unknown")
        self.check("single", "Retain count unknown: 2 references")

    def test_what_the_system_holds_is_held(self):
        for name in ("timed", "delayed", "argument", "pooled", "token"):
            self.leads_with(name, "is held: its references own all its retains")


class Tables(unittest.TestCase):
    def test_a_table_knows_what_its_callbacks_do_not_retain(self):
        program = PROGRAM.parent / "map_table"
        if not program.exists():
            self.skipTest("no GNUstep here")
        [run] = session.carry_out([{"program": str(program), "stop": session.READY, "frame": 1,
                                    "commands": [ask("legacyGuard", ""), ask("legacy", "")]}])
        known, owned = (result["output"] + result["error"] for result in run["commands"])
        self.assertRegex(known, r"Not counted:\s.*value, unretained  of NSMapTable")
        self.assertNotIn("unretained  of NSMapTable", owned)


class FreedSlots(unittest.TestCase):
    def test_a_reference_to_a_freed_object_is_named(self):
        if not PROGRAM.exists():
            self.skipTest("no GNUstep here")
        commands = [f"{question} --engine {engine} rule" for engine in ("memory", "helper")
                    for question in ("strong-refs", "retain-cycles", "strong-refs --incoming")]
        [run] = session.carry_out([{"program": str(PROGRAM), "stop": session.READY, "frame": 1,
                                    "commands": commands}])
        self.assertFalse(run["problem"], run["problem"])
        for command, result in zip(commands, run["commands"]):
            self.assertRegex(" ".join(result["output"].split()),
                             "_view of Keeper 0x[0-9a-f]+ points to a freed object 0x[0-9a-f]+: its "
                             "isa is 0xdeadface.* so it does not own it or was released too often",
                             command)


class Engines(unittest.TestCase):
    """The helper's own memory is no word of the program, however often it was asked before."""

    def test_both_engines_find_no_other_word(self):
        if not PROGRAM.exists():
            self.skipTest("no GNUstep here")
        commands = [f"strong-refs --engine {engine} -j --incoming ~shared"
                    for engine in ("memory", "helper", "helper", "memory")]
        [run] = session.carry_out([{"program": str(PROGRAM), "stop": session.READY, "frame": 1,
                                    "commands": commands}])
        self.assertFalse(run["problem"], run["problem"])
        for result in run["commands"]:
            answer = json.loads(result["output"])
            self.assertEqual("leaked", answer["verdict"]["kind"])
            self.assertEqual((True, 0), (answer["search"]["complete"], answer["search"]["words"]))


if __name__ == "__main__":
    unittest.main()
