"""What the shipped rules say about drawn Android heaps, each beside its near miss.

usage: test_rules.py LOUPE
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import typing
import unittest

from drawn_dump import BOOLEAN, LONG, OBJECT, BYTE, Class, Dump, with_java_basics

LOUPE = ""
FOLDER = pathlib.Path()
Answer = typing.Dict[str, typing.Any]


class Android:
    """A heap of Android's runtime. What is planted is held by the static field demo.Holder.held."""

    def __init__(self) -> None:
        self.dump = Dump(4, "1.0.3")
        self.classes = with_java_basics(self.dump)
        self.next = 0x1000
        self.held: typing.List[int] = []
        self.is_written = False

    def add_class(self, name: str, fields: typing.Sequence[typing.Tuple[str, int]] = (),
                  above: typing.Optional[Class] = None) -> Class:
        return self.dump.add_class(name, fields, superclass=above or self.classes["Object"],
                                   size=16)

    def add(self, of: Class, *values: int, held: bool = True) -> int:
        self.next += 0x20
        self.dump.instance(of, self.next, values)
        if held:
            self.held.append(self.next)
        return self.next

    def write(self) -> str:
        """Once: what would be added again would be there twice."""
        path = FOLDER / "drawn.hprof"
        if self.is_written:
            return str(path)
        self.is_written = True
        self.dump.array(self.classes["Object[]"], 0x800, self.held)
        holder = self.dump.add_class("demo/Holder", statics=[("held", OBJECT, 0x800)],
                                     superclass=self.classes["Object"])
        self.dump.root(holder.id, 0x05)
        path.write_bytes(self.dump.bytes())
        return str(path)

    def ask(self, verb: str, *arguments: str) -> Answer:
        done = subprocess.run([LOUPE, verb, self.write(), *arguments, "--json"],
                              capture_output=True, text=True, check=True)
        answer: Answer = json.loads(done.stdout)
        if verb == "suspects":
            answer["suspects"] = [one for one in answer["suspects"] if one["kind"] == "rule"]
        return answer

    def suspects(self) -> typing.Dict[int, str]:
        """By address: the reason."""
        return {int(address, 16): group["reason"] for group in self.ask("suspects")["suspects"]
                for address in group["addresses"]}


class Objects(unittest.TestCase):
    def setUp(self) -> None:
        self.heap = Android()

    def test_destroyed_activity_of_any_subclass(self) -> None:
        activity = self.heap.add_class("android/app/Activity", [("mDestroyed", BOOLEAN)])
        main = self.heap.add_class("demo/MainActivity", above=activity)
        destroyed = self.heap.add(main, 1)
        self.heap.add(main, 0)
        self.assertEqual(self.heap.suspects(), {destroyed: "onDestroy was called"})

    def test_fragment_that_has_left_and_one_that_was_never_added(self) -> None:
        fragment = self.heap.add_class("androidx/fragment/app/Fragment",
                                       [("mFragmentManager", OBJECT), ("mCalled", BOOLEAN)])
        left = self.heap.add(fragment, 0, 1)
        self.heap.add(fragment, 0, 0)
        self.heap.add(fragment, left, 1)
        self.assertEqual(list(self.heap.suspects()), [left])

    def test_view_whose_context_wraps_a_destroyed_activity(self) -> None:
        activity = self.heap.add_class("android/app/Activity", [("mDestroyed", BOOLEAN)])
        wrapper = self.heap.add_class("android/content/ContextWrapper", [("mBase", OBJECT)])
        view = self.heap.add_class("android/view/View", [("mContext", OBJECT)])
        destroyed = self.heap.add(activity, 1, held=False)
        running = self.heap.add(activity, 0, held=False)
        lost = self.heap.add(view, self.heap.add(wrapper, destroyed, held=False))
        self.heap.add(view, self.heap.add(wrapper, running, held=False))
        self.heap.add(view, 0)
        self.assertEqual(list(self.heap.suspects()), [lost])
        self.assertEqual(self.heap.ask("suspects")["held_by_suspects"], 1)

    def test_leakcanary_of_both_generations(self) -> None:
        weak = self.heap.classes["WeakReference"]
        first = self.heap.add_class("com/squareup/leakcanary/KeyedWeakReference",
                                    [("key", OBJECT)], above=weak)
        second = self.heap.add_class("leakcanary/KeyedWeakReference",
                                     [("key", OBJECT), ("retainedUptimeMillis", LONG)], above=weak)
        plain = self.heap.add_class("demo/Plain")
        one, two, three, gone = (self.heap.add(plain) for _ in range(4))
        self.heap.held.remove(gone)
        self.heap.add(first, 0, one, 0)
        self.heap.add(second, 0, 5000, two, 0)
        self.heap.add(second, 0, -1, three, 0)
        self.heap.add(second, 0, 5000, gone, 0)
        answer = self.heap.ask("suspects")
        found = {int(address, 16) for group in answer["suspects"] for address in group["addresses"]}
        self.assertEqual(found, {one, two})
        self.assertEqual(answer["not_held"], 1)

    def test_condition_on_a_field_that_is_not_there_says_nothing(self) -> None:
        activity = self.heap.add_class("android/app/Activity", [("mFinished", BOOLEAN)])
        self.heap.add(activity, 1)
        self.assertEqual(self.heap.suspects(), {})


class Groups(unittest.TestCase):
    """Equal mistakes are one group; its place and its reason."""

    def groups(self, heap: Android, rules: str) -> typing.List[Answer]:
        path = FOLDER / "groups.rules"
        path.write_text(rules)
        found: typing.List[Answer] = heap.ask("suspects", "--rules", str(path))["suspects"]
        return found

    def test_the_largest_is_the_one_whose_objects_keep_most_together(self) -> None:
        heap = Android()
        single, many = (heap.add_class(name, [("data", OBJECT)]) for name in ("Single", "Many"))
        for number, of in enumerate((single, many, many, many)):
            heap.dump.primitives(BYTE, 0x10000 + number * 0x1000, [0] * (600 if of is single else 400))
            heap.add(of, 0x10000 + number * 0x1000)
        found = self.groups(heap, "leaking Single\nleaking Many\n")
        self.assertEqual([("Many", 3), ("Single", 1)], [(one["class"], one["count"]) for one in found])
        each = [int(heap.ask("retained", address)["object"]["retained"]) for address in found[0]["addresses"]]
        self.assertEqual(sum(each), found[0]["retained"])
        self.assertGreater(found[1]["retained"], max(each))

    def reason(self, owner_first: bool) -> str:
        """Of an object that its own class and the field of an owner speak against."""
        heap = Android()
        owner = heap.add_class("Owner", [("part", OBJECT)])
        part = heap.add_class("Part")
        if owner_first:
            heap.add(owner, heap.next + 0x40)
            heap.add(part)
        else:
            heap.add(owner, heap.add(part))
        [one] = self.groups(heap, "leaking part of Owner because of its owner\nleaking Part because of itself\n")
        return str(one["reason"])

    def test_of_two_rules_about_one_object_the_first_counts_wherever_it_lies(self) -> None:
        self.assertEqual(["of its owner", "of its owner"], [self.reason(True), self.reason(False)])

    def test_of_two_rules_about_equal_objects_the_first_counts_wherever_they_lie(self) -> None:
        reasons = []
        for states in ((1, 2), (2, 1)):
            heap = Android()
            part = heap.add_class("Part", [("state", LONG)])
            for state in states:
                heap.add(part, state)
            [one] = self.groups(heap, "leaking Part when state is 1 because one\nleaking Part when state is 2 because two\n")
            self.assertEqual(2, one["count"])
            reasons.append(one["reason"])
        self.assertEqual(["one", "one"], reasons)


class Baselines(unittest.TestCase):
    """What is known fails no gate; what is new does."""

    def setUp(self) -> None:
        (FOLDER / "known.rules").write_text("leaking Old because of age\nleaking New because of youth\n")

    def ask(self, *names: str, words: typing.Sequence[str], status: int) -> Answer:
        heap = Android()
        classes = {name: heap.add_class(name, [("data", OBJECT)]) for name in ("Old", "New")}
        for number, name in enumerate(names):
            heap.dump.primitives(BYTE, 0x10000 + number * 0x1000, [0] * 400)
            heap.add(classes[name], 0x10000 + number * 0x1000)
        done = subprocess.run([LOUPE, "suspects", heap.write(), "--rules", str(FOLDER / "known.rules"), *words,
                               "--json"], capture_output=True, text=True, check=False)
        self.assertEqual(status, done.returncode, done.stderr)
        text = subprocess.run([LOUPE, "suspects", heap.write(), "--rules", str(FOLDER / "known.rules"), *words],
                              capture_output=True, text=True, check=False)
        self.assertEqual(status, text.returncode, text.stderr)
        answer: Answer = json.loads(done.stdout)
        return {**answer, "text": text.stdout}

    def test_of_rules_and_of_shares(self) -> None:
        known = str(FOLDER / "known")
        written = self.ask("Old", "Old", words=["--write-baseline", known, "--fail-if-found"], status=0)
        kinds = [one["kind"] for one in written["suspects"]]
        self.assertEqual({"rule", "share"}, set(kinds))
        lines = pathlib.Path(known).read_text().splitlines()[1:]
        self.assertEqual(sorted(one["fingerprint"] for one in written["suspects"]), [line[:16] for line in lines])
        self.assertTrue(any(line.endswith("# suspect of Old") for line in lines), lines)
        self.assertIn("fingerprints now", written["text"])

        same = self.ask("Old", "Old", "Old", words=["--baseline", known], status=0)
        self.assertEqual((0, 0, 0, [], len(kinds)), (same["found"], same["groups"], same["retained"],
                                                     same["suspects"], same["hidden_by_baseline"]))
        self.assertIn("Hidden by the baseline: 2 causes", same["text"])
        self.assertIn("No other suspects", same["text"])

        more = self.ask("Old", "New", "Old", words=["--baseline", known], status=1)
        self.assertEqual([("New", 1)], [(one["class"], one["count"]) for one in more["suspects"]
                                        if one["kind"] == "rule"])
        self.assertEqual((1, 1), (more["found"], more["groups"]))

    def test_a_baseline_that_is_none(self) -> None:
        (FOLDER / "none").write_text("nonsense\n")
        for name in ("none", "missing"):
            done = subprocess.run([LOUPE, "suspects", Android().write(), "--baseline", str(FOLDER / name)],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((2, ""), (done.returncode, done.stdout))


TREES = """leaking Screen when self is outside Window because no window leads there
part Window.top
part Screen.*below
part *.spare to Sheet
"""


class Trees(unittest.TestCase):
    """Who is a part of what: `outside` and `part`."""

    def setUp(self) -> None:
        self.heap = Android()
        self.window = self.heap.add_class("Window", [("top", OBJECT)])
        self.screen = self.heap.add_class("Screen", [("itsbelow", OBJECT), ("spare", OBJECT), ("other", OBJECT)])
        self.sheet = self.heap.add_class("Sheet", above=self.screen)

    def suspects(self, rules: str = TREES) -> typing.Set[int]:
        path = FOLDER / "own.rules"
        path.write_text(rules)
        return {int(address, 16) for group in self.heap.ask("suspects", "--rules", str(path))["suspects"]
                for address in group["addresses"]}

    def test_what_a_window_leads_to_is_in_it_through_others_and_arrays(self) -> None:
        low, lower, stray = (self.heap.add(self.screen, 0, 0, 0) for _ in range(3))
        self.heap.dump.array(self.heap.classes["Object[]"], 0x8000, [low, lower])
        self.heap.dump.array(self.heap.classes["Object[]"], 0x8100, [0x8000])
        top = self.heap.add(self.screen, 0x8100, 0, 0)
        self.heap.add(self.window, top)
        self.assertEqual(self.suspects(), {stray})

    def test_only_the_top_of_what_is_outside_is_one(self) -> None:
        self.heap.add(self.window, 0)
        low = self.heap.add(self.screen, 0, 0, 0)
        top = self.heap.add(self.screen, self.heap.add(self.screen, low, 0, 0), 0, low)
        self.assertEqual(self.suspects(), {top})

    def test_parts_of_each_other_are_told_once(self) -> None:
        self.heap.add(self.window, 0)
        first = self.heap.next + 0x20
        self.heap.add(self.screen, first + 0x20, 0, 0)
        self.heap.add(self.screen, first, 0, 0)
        own = self.heap.next + 0x20
        self.heap.add(self.screen, own, 0, 0)
        self.assertEqual(self.suspects(), {first, own})

    def test_one_that_only_refers_to_its_owner_is_no_top(self) -> None:
        self.heap.add(self.window, 0)
        low, top = self.heap.next + 0x20, self.heap.next + 0x40
        self.heap.add(self.screen, 0, top, 0)  # an owner that is a sheet, by a field of some classes
        self.heap.add(self.sheet, low, 0, 0)
        self.assertEqual(self.suspects(), {top})

    def test_to_means_only_such_objects_in_arrays_too(self) -> None:
        sheet, screen = self.heap.add(self.sheet, 0, 0, 0), self.heap.add(self.screen, 0, 0, 0)
        self.heap.dump.array(self.heap.classes["Object[]"], 0x8000, [sheet, screen])
        self.heap.add(self.window, self.heap.add(self.screen, 0, 0x8000, 0))
        self.assertEqual(self.suspects(), {screen})

    def test_a_field_that_no_rule_names_leads_to_nothing(self) -> None:
        stray = self.heap.add(self.screen, 0, 0, 0)
        self.heap.add(self.window, self.heap.add(self.screen, 0, 0, stray))
        self.assertEqual(self.suspects(), {stray})

    def test_without_any_window_nothing_is_said(self) -> None:
        self.heap.add(self.screen, 0, 0, 0)
        self.assertEqual(self.suspects(), set())

    def test_spared_classes_and_their_heirs_are_none(self) -> None:
        self.heap.add(self.window, 0)
        self.heap.add(self.sheet, 0, 0, 0)
        screen = self.heap.add(self.screen, 0, 0, 0)
        self.assertEqual(self.suspects(TREES + "spare Sheet when nobodyKnows is true\n"), {screen})

    def test_many_rules_and_many_parts_end(self) -> None:
        self.heap.add(self.window, 0)
        first = self.heap.next + 0x20
        for number in range(2000):  # a ring of all, each the part of the one before
            self.heap.add(self.screen, first + (number + 1) % 2000 * 0x20, first, first)
        rules = TREES + "".join(f"part *Screen*.*o*t*h*e*r{number}*\n" for number in range(2000))
        self.assertEqual(self.suspects(rules), {first})


class References(unittest.TestCase):
    def setUp(self) -> None:
        self.heap = Android()
        self.manager = self.heap.add_class("android/view/inputmethod/InputMethodManager",
                                           [("mServedView", OBJECT), ("mOther", OBJECT)])
        self.target = self.heap.add(self.heap.add_class("demo/Target"), held=False)

    def path(self) -> Answer:
        answer: Answer = self.heap.ask("path", hex(self.target))["paths"][0]
        return answer

    def test_known_leak_is_taken_when_there_is_no_other_and_says_why(self) -> None:
        self.heap.add(self.manager, self.target, 0)
        edge = self.path()["edges"][-1]
        self.assertEqual((edge["path"], edge["ownership"]), ("mServedView", "library"))
        self.assertIn("focus", edge["reason"])

    def test_longer_way_is_better_than_a_known_leak(self) -> None:
        box = self.heap.add_class("demo/Box", [("content", OBJECT)])
        self.heap.add(self.manager, self.target, 0)
        self.heap.add(box, self.heap.add(box, self.target, held=False))
        self.assertEqual([edge["path"] for edge in self.path()["edges"][-2:]],
                         ["content", "content"])

    def test_same_object_by_another_field_is_no_known_leak(self) -> None:
        self.heap.add(self.manager, self.target, self.target)
        self.assertEqual(self.path()["edges"][-1]["path"], "mOther")

    def test_thread_of_a_library_is_known(self) -> None:
        self.heap.dump.primitives(BYTE, 0x900, list(b"FinalizerWatchdogDaemon"))
        self.heap.dump.instance(self.heap.classes["String"], 0x920, [0x900, 0])
        self.heap.dump.instance(self.heap.classes["Thread"], 0x940, [0x920])
        self.heap.dump.trace(3, 1, [])
        self.heap.dump.root(0x940, 0x08, 1, 3)
        self.heap.dump.root(self.target, 0x03, 1, 0xffffffff)
        root = self.path()["root"]
        self.assertEqual(root["thread"], "FinalizerWatchdogDaemon")
        self.assertIn("finalized", root["reason"])


class Shares(unittest.TestCase):
    """Who keeps most of a heap has a path, whatever rules say of what is on it."""

    def shares(self, rules: str) -> typing.List[Answer]:
        heap, path = Android(), FOLDER / "shares.rules"
        screen = heap.add_class("demo/Screen", [("list", OBJECT)])
        lists = heap.add_class("demo/List", [("elements", OBJECT)])
        heap.dump.primitives(BYTE, 0x40000, [1] * 50000)
        heap.add(screen, heap.add(lists, 0x40000, held=False))
        path.write_text(rules)
        done = subprocess.run([LOUPE, "suspects", heap.write(), "--rules", str(path), "--json"],
                              capture_output=True, text=True, check=True)
        return [one for one in json.loads(done.stdout)["suspects"] if one["kind"] == "share"]

    def check(self, rules: str) -> None:
        share, = self.shares(rules)
        self.assertEqual((share["culprit"], len(share["path"]["objects"])), ("Screen.list", 4))

    def test_path_through_a_suspect(self) -> None:
        self.check("leaking demo.Screen\n")

    def test_path_over_a_reference_that_is_weak_by_a_rule(self) -> None:
        self.check("weak demo.Screen.list\n")


if __name__ == "__main__":
    LOUPE = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        unittest.main()
