"""strong-refs --incoming on a real GNUstep: what gnustep-base keeps outside of ivars."""
import unittest

import session

PROGRAM = session.BUILD / "tests" / "gnustep" / "gobjc" / "holders"


def ask(name):
    return f"strong-refs --explain --incoming ~{name}"


class Holders(unittest.TestCase):
    maxDiff = None
    questions = ["timed", "delayed", "argument", "pooled", "token", "observing"]

    @classmethod
    def setUpClass(cls):
        if not PROGRAM.exists():
            raise unittest.SkipTest("no GNUstep here")
        [run] = session.carry_out([{"program": str(PROGRAM), "stop": session.READY, "frame": 1,
                                    "commands": [ask(name) for name in cls.questions]}])
        assert not run["problem"], run["problem"]
        cls.texts = {name: result["output"] + result["error"]
                     for name, result in zip(cls.questions, run["commands"])}

    def check(self, name, *lines):
        """These lines, in this order; what is between them depends on the version."""
        rest = [line.strip() for line in session.normalised(self.texts[name]).splitlines()]
        for line in lines:
            found = [index for index, other in enumerate(rest) if other.startswith(line)]
            self.assertTrue(found, f"no {line!r} in\n" + "\n".join(rest))
            rest = rest[found[0] + 1:]

    def test_a_scheduled_timer_is_held_by_its_run_loop(self):
        self.check("timed", "_target  target  of NSTimer", "from libgnustep-base",
                   "_runLoopInfo → GSRunLoopThreadInfo", "loop → NSRunLoop",
                   "_contextMap → NSMapTable", '["NSDefaultRunLoopMode"] → GSRunLoopCtxt',
                   "timers → NSTimer",
                   "Retain count 1: 1 reference from objects, which explain it")

    def test_a_delayed_performer_holds_its_target_and_its_argument(self):
        for name, edge in (("delayed", "target  target"), ("argument", "argument  ivar")):
            self.check(name, f"{edge}  of GSTimedPerformer", "_runLoopInfo → GSRunLoopThreadInfo",
                       "loop → NSRunLoop", "_timedPerformers → ", "[0] → GSTimedPerformer",
                       "Retain count 1: 1 reference from objects, which explain it")

    def test_the_pool_of_the_thread_holds_it(self):
        self.check("pooled", "[0]  element  of NSAutoreleasePool",
                   "_autorelease_vars.current_pool → NSAutoreleasePool",
                   "Retain count 1: 1 reference from objects, which explain it")
        self.assertNotIn("autorelease pools", self.texts["pooled"].split("Not looked at")[-1])

    def test_the_center_holds_the_observer_that_it_made(self):
        self.check("token", "observers  element  of NSNotificationCenter",
                   "Retain count 1: 1 reference from objects, which explain it")

    def test_the_center_does_not_hold_an_observer(self):
        self.check("observing", "~observing (Listener", "Not counted:",
                   "observers  element, unretained  of NSNotificationCenter",
                   "Retain count 1: 0 references from objects, 1 unexplained")


if __name__ == "__main__":
    unittest.main()
