"""Reports of libloupe_watch and of LLDB in the same words: headings, rings, changes to make, classes."""
import json
import pathlib
import subprocess
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS.parent), str(TESTS / "lldb" / "unit")]
PROGRAM = sys.argv.pop(1)

from answers import cycles, edge, fix, knot, ring, thing  # noqa: E402
from lldb_commands.render import words  # noqa: E402
from lldb_commands.render.style import Style  # noqa: E402
from lldb_commands.reporting.answers import add_words  # noqa: E402
from lldb_commands.reporting.report import as_text  # noqa: E402

NAMED = ("ivar", "association", "element", "value", "key", "target", "user-info", "block", "byref")
HELD = ("Screen", "NSTimer", "NSInvocation", "NSThread", "OS_dispatch_source", "NSMutableArray",
        "GSMutableDictionary", "NSBlockOperation", "__NSCFTimer", "NSKVONotifying_Screen")


def in_program(answer):
    done = subprocess.run([PROGRAM], input=json.dumps(answer, separators=(",", ":")) + "\n",
                          capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def decided(kind, owner, held, has_weak, is_manual):
    """What the core says to do for such a reference (core/report/advice.c)."""
    owner, held = (words.class_name(thing(name)) for name in (owner, held))
    if kind == "ivar" and held.endswith("Timer"):
        return "invalidate"
    if kind == "ivar" and (held.startswith(("NS", "GS")) or not (has_weak or is_manual)):
        return "set-to-nil"
    if kind in ("target", "block"):
        if "dispatch" in owner:
            return "cancel"
        return "finish" if owner.endswith(("Invocation", "Thread")) else "invalidate-before"
    return {"element": "take-out", "value": "take-out", "key": "weak-keys",
            "association": "weak-wrapper", "user-info": "weak-wrapper"}.get(kind, "make-weak")


def two(kind, owner, held, verdict="leaked", **more):
    """Retain cycle of two, whose reference of that kind is to be weakened."""
    one, back = edge("0x1f00", "0x2f00", kind, "_part"), edge("0x2f00", "0x1f00", "ivar", "_whole")
    details = {key: more.pop(key) for key in ("manual",) if key in more}
    one.update(details)
    objects = {"0x1f00": thing(owner), "0x2f00": thing(held)}
    do = decided(kind, owner, held, more.get("weak_references", True), "manual" in details)
    return cycles(objects, [knot([ring(one, back)], verdict,
                                 fixes=[fix(one, do=do, **more.pop("fix", {}))],
                                 **more.pop("knot", {}))], **more)


class Words(unittest.TestCase):
    maxDiff = None

    def same(self, answer, marks=("Retain ", "An ", "Possible r", "  ╭", "  │", "  ╰", "    •", "  Fix", "  No single")):
        def chosen(lines):
            return [line.rstrip() for line in lines if line.startswith(marks)]
        add_words(answer)
        in_lldb = chosen(as_text(answer, Style(unicode=True, color=False), "", False).splitlines())
        self.assertTrue(in_lldb)
        self.assertEqual(chosen(in_program(answer)), in_lldb)

    def test_changes_for_each_kind_of_reference(self):
        for kind in NAMED:
            for held in HELD:
                with self.subTest(kind, held=held):
                    self.same(two(kind, "Owner", held))
                    self.same(two(kind, held, "Owner"))

    def test_what_is_known_of_the_holder(self):
        self.same(two("ivar", "Owner", "Held", manual=True))
        self.same(two("ivar", "Owner", "Held", weak_references=False))
        self.same(two("ivar", "Owner", "Held", fix={"against": ["only-holder"]}))
        self.same(two("ivar", "Owner", "Held", fix={"against": ["only-holder", "frees-at-once"]}))
        self.same(two("ivar", "Owner", "Held", fix={"against": ["unowned-name"]}))

    def test_what_a_change_is_good_for(self):
        for breaks in ("knot", "ring"):
            for everywhere in (None, "knot"):
                for frees in (True, False, None):
                    for kept_by in (None, "0x2f00"):
                        for enough in (True, False) if frees is None else (frees,):
                            self.same(two("ivar", "Owner", "Held", fix={
                                "breaks": breaks, "everywhere": everywhere, "frees": frees,
                                "enough": enough, "kept_by": kept_by}))

    def test_verdicts(self):
        for counts in ({"outside": 1}, {"outside": 1, "unexplained": 2}, {}):
            self.same(two("ivar", "Owner", "Held", "held", knot={"counts": counts}))
        self.same(two("ivar", "Owner", "Held", "unknown", knot={"verdict_reason": "of some reason"}))
        self.same(two("ivar", "Owner", "Held", "unknown"))
        self.same(two("ivar", "Owner", "Held", knot={"certain": False}))

    def test_an_object_that_keeps_itself(self):
        own = edge("0x1f00", "0x1f00", "ivar", "_me")
        self.same(cycles({"0x1f00": thing("Owner")}, [knot([ring(own)], fixes=[fix(own)])]))

    def test_classes_by_the_names_that_programs_use(self):
        names = [*words._PUBLIC_NAMES, "NSKVONotifying_Screen", "Screen", "__NSArray"]
        for name in names:
            with self.subTest(name):
                self.same(two("element", name, "Owner"), marks=("  ╭", "  │", "  ╰"))


if __name__ == "__main__":
    unittest.main()
