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


if __name__ == "__main__":
    LOUPE = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        unittest.main()
