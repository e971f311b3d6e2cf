"""Who retained and who released: folded by stack, retains paired with releases, told in text."""
import unittest

from reports import report
from lldb_commands.running.balance import as_json, groups


def event(kind, function, line=0, change=None):
    frame = {"address": hex(hash((function, line)) & 0xffff), "function": function,
             "file": "/src/App.m" if line else None, "line": line, "module": "/opt/app",
             "runtime": False}
    return {"kind": kind, "change": {"retain": 1, "release": -1}.get(kind, 0)
            if change is None else change, "frames": [frame]}


def opened(*events):
    return {group.function: group.open for group in groups(events) if group.kind == "retain"}


class Balance(unittest.TestCase):
    def test_a_retain_without_any_release_is_open(self):
        self.assertEqual({"-[A keep]": 1}, opened(event("retain", "-[A keep]")))

    def test_a_release_of_the_same_function_comes_first(self):
        self.assertEqual({"-[A keep]": 1, "-[B set:]": 0},
                         opened(event("retain", "-[A keep]"), event("retain", "-[B set:]"),
                                event("release", "-[B set:]")))

    def test_an_allocation_is_undone_last(self):
        made, kept = event("alloc", "main", 3, 1), event("retain", "-[A keep]", 7)
        gone = event("release", "-[B drop]", 9)
        self.assertEqual({("alloc", 1), ("retain", 0), ("release", 0)},
                         {(group.kind, group.open) for group in groups([made, kept, gone])})
        self.assertEqual([0, 0], [group.open for group in groups([made, kept, gone, gone])][:2])
        record = {"subject": "it", "address": "0x1f00", "problems": [], "events": [made, kept, gone], "since": "allocated", "before": 1,
                  "now": 1, "ended": ""}
        self.assertEqual("it: retain count 1 when it was allocated, 1 now\n"
                         "    +1  allocated at App.m:3 in main  <- no matching release\n"
                         "    +1  retained at App.m:7 in -[A keep]\n"
                         "    -1  released at App.m:9 in -[B drop]\n"
                         "1 retain, 1 release: the allocation without a release",
                         report(as_json([record])))

    def test_then_one_of_the_same_class(self):
        self.assertEqual({"-[A keep]": 1, "-[B keep]": 0},
                         opened(event("retain", "-[A keep]"), event("retain", "-[B keep]"),
                                event("release", "-[B drop]")))

    def test_what_a_block_retained_is_undone_where_such_a_block_ends(self):
        copied, ended = "__copy_helper_block_8_32s", "__destroy_helper_block_8_32s"
        self.assertEqual({copied: 0, "-[A keep]": 1},
                         opened(event("retain", "-[A keep]"), event("retain", copied),
                                event("release", ended)))
        self.assertEqual({copied: 0, "__copy_helper_block_8_40s": 1},
                         opened(event("retain", "__copy_helper_block_8_40s"),
                                event("retain", copied), event("release", ended)))
        self.assertEqual({"__copy_helper_byref_4": 0, copied: 1},
                         opened(event("retain", copied), event("retain", "__copy_helper_byref_4"),
                                event("release", "__destroy_helper_byref_4")))

    def test_a_foundation_is_none_of_the_programs_wherever_it_stands(self):
        for module in ("/opt/gnustep/lib/libgnustep-base.so.1.31", "/home/me/lib/libobjc.so.4.6",
                       "/Applications/X.app/Frameworks/Foundation.framework/Foundation"):
            inner = {**event("retain", "-[GSArray addObject:]"), "kind": "retain"}["frames"][0]
            inner["module"] = module
            outer = event("retain", "-[A keep]")["frames"][0]
            self.assertEqual({"-[A keep]": 1},
                             opened({"kind": "retain", "change": 1, "frames": [inner, outer]}))
        own = event("retain", "-[A keep]")
        own["frames"][0]["module"] = "/opt/app/libobjects.so"
        self.assertEqual({"-[A keep]": 1}, opened(own))

    def test_then_any(self):
        self.assertEqual({"-[A keep]": 0}, opened(event("retain", "-[A keep]"),
                                                  event("release", "main")))

    def test_equal_stacks_are_one_group(self):
        [kept, dropped] = groups([event("retain", "-[A keep]"), event("release", "-[A drop]")] * 3)
        self.assertEqual((3, 3, 0), (kept.events, kept.units, kept.open))
        self.assertEqual((3, [2, 4, 6]), (dropped.events, dropped.numbers))

    def test_a_change_by_more_than_one_counts_as_many(self):
        self.assertEqual({"-[A keep]": 1}, opened(event("retain", "-[A keep]", change=3),
                                                  event("release", "-[A drop]", change=-2)))

    def test_releases_of_what_was_there_before_pair_with_nothing(self):
        [group] = groups([event("release", "main")])
        self.assertEqual(0, group.open)


    def test_methods_that_count_for_others_are_not_guilty(self):
        inner = event("retain", "-[Root retain]")
        outer = event("retain", "-[A keep]")
        inner["frames"] += outer["frames"]
        [group] = groups([inner])
        self.assertEqual("-[A keep]", group.function)
        [alone] = groups([event("retain", "-[Root(Counts) retain]")])
        self.assertEqual("-[Root(Counts) retain]", alone.function)


class Report(unittest.TestCase):
    maxDiff = None

    def report(self, *events, **rest):
        return report(as_json([self.record(*events, **rest)]))

    def record(self, *events, **rest):
        return {"subject": "thing 0x1f00", "address": "0x1f00", "events": list(events),
                "since": "watched", "before": 1, "now": 2, "ended": "", "problems": [], **rest}

    def test_the_retain_without_its_release_is_marked(self):
        self.assertEqual("""\
thing 0x1f00: retain count 1 when it began, 2 now
    +2  retained at App.m:3 in -[A keep], 2 times
    -2  released at App.m:5 in -[A drop], 2 times
    +1  retained at App.m:9 in -[B take:]  <- no matching release
        autoreleased at App.m:11 in main
3 retains, 2 releases: 1 retain without a release""", self.report(
            event("retain", "-[A keep]", 3), event("release", "-[A drop]", 5),
            event("retain", "-[A keep]", 3), event("release", "-[A drop]", 5),
            event("retain", "-[B take:]", 9), event("autorelease", "main", 11)))

    def test_some_of_several_are_marked(self):
        self.assertIn("2 times  <- 1 of them: no matching release", self.report(
            event("retain", "-[A keep]", 3), event("retain", "-[A keep]", 3),
            event("release", "-[A drop]", 5)))

    def test_an_object_that_was_freed(self):
        self.assertEqual("thing 0x1f00: retain count 1 when it began, freed",
                         self.report(event("release", "main", 2), ended="freed").split("\n")[0])

    def test_nothing_happened_yet(self):
        self.assertEqual("thing 0x1f00: retain count 1 when it began; nothing happened yet",
                         self.report())

    def test_one_that_was_recorded_began_with_its_allocation(self):
        self.assertIn("retain count 1 when it was allocated, 2 now",
                      self.report(event("retain", "main"), since="allocated"))

    def test_for_programs_each_stack_is_there_once(self):
        answer = as_json([self.record(event("retain", "-[A keep]", 3), event("retain", "main", 5),
                                      event("release", "main", 5), event("retain", "main", 5)),
                          self.record(event("retain", "main", 5), problems=["Not told: 1 event"])])
        first, second = answer["histories"]
        self.assertEqual([("retain", 1, 1, 1), ("retain", 2, 2, 1), ("release", 1, 1, 0)],
                         [tuple(group[key] for key in ("kind", "count", "change", "without_release"))
                          for group in first["groups"]])
        self.assertEqual([[1], [2, 4], [3]], [group["events"] for group in first["groups"]])
        self.assertEqual(first["groups"][1]["stack"], second["groups"][0]["stack"])
        self.assertEqual(2, len(answer["stacks"]))
        self.assertIsNone(first["ended"])
        self.assertEqual("incomplete", answer["status"])

    def test_what_was_not_seen_is_told(self):
        self.assertIn("Not recorded: 3 events", self.report(problems=["Not recorded: 3 events"]))


if __name__ == "__main__":
    unittest.main()
