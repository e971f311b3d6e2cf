"""References to what was freed are told by leaks and find, and by no other: of a process, of a snapshot
of it, and of zombies.

usage: test_dangling.py LOUPE PROGRAM GNUSTEP

PROGRAM runs on Apple's runtime, GNUSTEP on gnustep-base; that may be empty.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from waiting import snapshots_of

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import schema  # noqa: E402

LOUPE, PROGRAM, GNUSTEP = sys.argv[1:]
CHUNK = "malloc has its memory among the free chunks"
ZOMBIE = "a zombie stands in its place"
POISON = "its isa is 0xdeadface, which gnustep-base writes there last"
SOURCE = pathlib.Path(__file__).parents[1] / "leaks/programs/dangling.m"
VERBS = (("path",), ("show",), ("retained",), ("retain-cycles",))
IVARS = (("FeedCell", "_owner"), ("MessageView", "_delegate"), ("Player", "_album"))
FREED = {("FeedCell", "_owner", None, CHUNK, 3), ("MessageView", "_delegate", None, CHUNK, 1)}


def ask(*words):
    return subprocess.run([LOUPE, *words], capture_output=True, text=True, timeout=1800, check=False)


def told(answer):
    return {(each["class"], each["path"], each["was"], each["why"], each["count"])
            for each in answer["dangling"]}


def line_of(class_name, ivar):
    """The line of the source that declares it."""
    return next(number for number, line in enumerate(SOURCE.read_text().splitlines(), start=1)
                if line.startswith(f"CLASS({class_name}, ") and f"{ivar};" in line)


class Dangling(unittest.TestCase):
    def snapshot(self, program, **variables):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        snapshots, trouble = snapshots_of([program], LOUPE, pathlib.Path(folder.name), **variables)
        self.assertFalse(trouble)
        return snapshots[0]

    def check(self, program, want, **variables):
        file = self.snapshot(program, **variables)
        answer = json.loads(ask("leaks", file, "--json").stdout)
        self.assertEqual([], schema.Schema().problems(answer))
        of_ours = {each for each in told(answer) if each[0] in ("FeedCell", "MessageView", "Player")}
        self.assertEqual(want, of_ours)
        self.assertNotIn("NSMapTable", {each["class"] for each in answer["dangling"]}, "gnustep-base's table of zombies")
        for each in answer["dangling"]:
            if (each["class"], each["path"]) in IVARS:
                place = each["declared"]
                self.assertEqual((pathlib.Path(place["file"]).name, place["line"]),
                                 (SOURCE.name, line_of(each["class"], each["path"])))
        return file

    def test_on_apples_runtime(self):
        file = self.check(PROGRAM, FREED | {("Player", "_album", "Album", ZOMBIE, 1)})
        text = ask("leaks", file).stdout
        self.assertIn("\n5 dangling references, to freed objects (make it weak, or set it "
                      "to nil before the object is freed):\n", text)
        self.assertRegex(text, rf"\n  3 × FeedCell\._owner \(dangling\.m:{line_of('FeedCell', '_owner')}\) "
                               r"→ a freed object 0x[0-9a-f]+: "
                               rf"{CHUNK} \(FeedCell 0x[0-9a-f]+\)\n")
        self.assertNotIn("without a valid object", text, "the same slots once more")
        self.assertRegex(text, r"\n  Player\._album \(dangling\.m:\d+\) → a freed Album 0x[0-9a-f]+: "
                               rf"{ZOMBIE} \(Pl")

    def test_the_sample_of_the_page(self):
        page = (SOURCE.parents[3] / "docs" / "leaks.md").read_text(encoding="utf-8")
        [shown] = re.findall(r"^```text\n(\d+ dangling .*?)^```$", page, re.M | re.S)
        printed = re.sub(r"0x[0-9a-f]+", "A", ask("leaks", self.snapshot(PROGRAM)).stdout)
        self.assertIn("\n" + re.sub(r"0x[0-9a-f]+", "A", shown), printed)

    def test_the_sample_of_an_address(self):
        page = (SOURCE.parents[3] / "docs" / "leaks.md").read_text(encoding="utf-8")
        [shown] = re.findall(r"^0x\w+ was freed: .*\n", page, re.M)
        file = self.snapshot(PROGRAM)
        cell, = [each for each in json.loads(ask("leaks", file, "--json").stdout)["dangling"] if each["path"] == "_owner"]
        self.assertEqual(re.sub(r"0x[0-9a-f]+", "A", f"loupe: path: {shown}"),
                         re.sub(r"0x[0-9a-f]+", "A", ask("path", file, cell["to"]).stderr))

    def test_who_points_to_a_freed_address(self):
        file = self.snapshot(PROGRAM)
        dangling = json.loads(ask("leaks", file, "--json").stdout)["dangling"]
        for ivar, of, why in (("_delegate", "MessageView", CHUNK), ("_owner", "FeedCell", CHUNK), ("_album", "Player", ZOMBIE)):
            one, = [each for each in dangling if each["path"] == ivar]
            place = f"dangling.m:{line_of(of, ivar)}"
            who = f"3 × {of}.{ivar} (of {one['from']} and 2 more, {place}) still point" if one["count"] == 3 else \
                f"{of}.{ivar} of {one['from']} ({place}) still points"
            was = ", it was of class Album" if one["was"] else ""
            for verb in ("path", "show", "retained", "retain-cycles"):
                done = ask(verb, file, one["to"])
                self.assertEqual((2, "", f"loupe: {verb}: {one['to']} was freed{was}: {why}; {who} there (make it weak, or set "
                                         "it to nil before the object is freed)\n"),
                                 (done.returncode, done.stdout, done.stderr))
                done = ask(verb, file, one["to"], "--json")
                said = json.loads(done.stdout)
                self.assertEqual((2, "error", {"certain": True, "why": why, "class": one["was"]}, [one], one["count"]),
                                 (done.returncode, said["status"], said["freed"], said["dangling"], said["dangling_found"]))
                self.assertEqual({"code": "not-an-object", "address": one["to"], "detail": "freed",
                                  "message": f"{one['to']} was freed: {why}"}, said["error"])
        self.assertNotIn("freed", ask("path", file, "0x10").stderr)

    def check_asked_of_the_program(self, program, verbs, **variables):
        """What only the memory of the program itself tells, and its own questions."""
        with tempfile.TemporaryDirectory() as folder:
            told_in = pathlib.Path(folder) / "ghost"
            with subprocess.Popen([program, told_in], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, **variables}) as process:
                self.assertEqual("ready\n", process.stdout.readline())
                ghost, target = told_in.read_text().strip(), str(process.pid)
                one = next(each for each in json.loads(ask("leaks", target, "--json").stdout)["dangling"]
                           if each["path"] == "_delegate")
                for address, who in ((ghost, "no reference from an object still points there"),
                                     (one["to"], f"MessageView._delegate of {one['from']}")):
                    for verb in verbs:
                        done = ask(verb[0], target, address, *verb[1:])
                        self.assertEqual((2, ""), (done.returncode, done.stdout), verb)
                        self.assertRegex(done.stderr, rf"^loupe: {verb[0]}: {address} was freed[^;]*; {who}")
                        if program == GNUSTEP:
                            self.assertNotIn("weak", done.stderr, "GCC's runtime has no weak references")
                        said = json.loads(ask(verb[0], target, address, *verb[1:], "--json").stdout)
                        self.assertEqual([], schema.Schema().problems(said))
                        self.assertEqual(["MessageView"] if address == one["to"] else [],
                                         [each["class"] for each in said["dangling"]])
                view = json.loads(ask("strong-refs", target, one["from"], "--incoming", "--json").stdout)
                self.assertLessEqual({slot["edge"]["from"] for slot in view.get("freed_slots", [])}, {one["from"]},
                                     "of other objects, which are no part of the answer")
                self.assertEqual("loupe: ivar-layout: the runtime has no class 'MesageView'; did you mean MessageView?\n", ask("ivar-layout", target, "MesageView").stderr)
                process.communicate("\n")

    def test_asked_of_a_process(self):
        self.check_asked_of_the_program(PROGRAM, (*VERBS, ("strong-refs", "--incoming")))

    def test_of_one_class(self):
        file = self.snapshot(PROGRAM)
        for pattern, want in (("MessageView", {"_delegate"}), ("Album", {"_album"}),
                              ("MailController", set()), ("Play*", {"_album"})):
            answer = json.loads(ask("find", file, pattern, "--json").stdout)
            self.assertEqual(want, {each["path"] for each in answer["dangling"]}, pattern)
        self.assertIn(f"Player._album (dangling.m:{line_of('Player', '_album')}) → a freed Album", ask("find", file, "Album").stdout)
        self.assertNotIn("Dangling", ask("find", file, "NSString").stdout)

    @unittest.skipUnless(GNUSTEP, "GNUstep is not installed")
    def test_on_gnustep(self):
        self.check(GNUSTEP, {("FeedCell", "_owner", None, POISON, 3),
                             ("MessageView", "_delegate", None, POISON, 1),
                             ("Player", "_album", None, POISON, 1)}, NSZombieEnabled="NO")
        file = self.check(GNUSTEP, {("FeedCell", "_owner", "FeedOwner", ZOMBIE, 3),
                                    ("MessageView", "_delegate", "MailController", ZOMBIE, 1),
                                    ("Player", "_album", "Album", ZOMBIE, 1)}, NSZombieEnabled="YES")
        self.assertIn("All its instances that are known were freed.\n", ask("find", file, "FeedOwner").stdout)
        self.assertIn(" dangling references, to freed objects (set it to nil before the object is freed):\n",
                      ask("leaks", file).stdout)

    @unittest.skipUnless(GNUSTEP, "GNUstep is not installed")
    def test_asked_of_a_process_on_gnustep(self):
        self.check_asked_of_the_program(GNUSTEP, (*VERBS, ("strong-refs", "--incoming")), NSZombieEnabled="NO")
        self.check_asked_of_the_program(GNUSTEP, VERBS, NSZombieEnabled="YES")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
