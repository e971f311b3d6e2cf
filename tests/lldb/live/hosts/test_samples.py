"""Samples of pages of docs/ are what the programs that they name print. In a sample `...` stands for lines that
are left out. README.md and the pages that test_readme.py knows are compared there."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import session

BUILD, SOURCE = session.BUILD, session.SOURCE
PHOTO_BROWSER = BUILD / "examples" / "photo_browser"
SELF_BLOCK = session.fixture("self_block")
ALBUM = BUILD / "examples" / "album"
SLOW_LIBRARY = BUILD / "examples" / "slow_library"


def samples(page):
    """By the line that asks, what is shown below it."""
    text = (SOURCE / "docs" / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:console|text)\n(.*?)^```$", text, re.M | re.S)
    return {first: rest for first, _, rest in (block.partition("\n") for block in blocks) if rest}


def alike(text):
    """Without what is otherwise in another build, run or machine."""
    text = re.sub(r"0x[0-9a-f]+", "A", text)
    text = re.sub(r"\b[0-9a-f]{16}\b", "FINGERPRINT", text)
    text = re.sub(r"\d+(?:\.\d+)? (m?s)\b", r"N \1", text)
    return re.sub(r" in less than N ms|, from LLDB$", "", text, flags=re.M)


def fits(shown, printed):
    """Whether the lines that are shown are printed in that order, without others between them."""
    parts = [part.strip("\n") for part in re.split(r"^\.\.\.\n", alike(shown), flags=re.M)]
    place, text = 0, alike(printed)
    for part in filter(None, parts):
        place = text.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True


def matched(shown, printed, places):
    """Whether all that is shown is printed: fields of objects, elements of arrays in their order. places: which
    address the one that is shown stands for; what they are then, or None."""
    if isinstance(shown, dict) and isinstance(printed, dict):
        for key, value in shown.items():
            places = first_match(value, [printed[other] for other in keys_for(key, printed, places)], places)
            if places is None:
                return None
        return places
    if isinstance(shown, list) and isinstance(printed, list):
        rest = printed if shown else []
        for value in shown:
            while rest and matched(value, rest[0], places) is None:
                rest = rest[1:]
            places = first_match(value, rest[:1], places)
            if places is None:
                return None
        return places if shown or not printed else None
    if isinstance(shown, str) and isinstance(printed, str):
        if shown.startswith("0x"):
            return {**places, shown: printed} if places.get(shown, printed) == printed else None
        return places if printed == shown or printed.endswith(f"/{shown}") else None
    return places if shown == printed else None


def keys_for(key, printed, places):
    """Those that a key which is shown may stand for."""
    if not key.startswith("0x"):
        return [key] if key in printed else []
    return [other for other in printed if places.get(key, other) == other]


def first_match(shown, candidates, places):
    return next((found for found in (matched(shown, one, places) for one in candidates)
                 if found is not None), None)


@unittest.skipUnless(os.uname().sysname == "Linux", "the samples are those of Linux")
class Samples(unittest.TestCase):
    maxDiff = None

    def check(self, page, first, printed):
        shown = samples(page)[first]
        if not fits(shown, printed):
            self.assertEqual(alike(shown), alike(printed), f"docs/{page}.md")

    def run_with(self, program, **environment):
        done = subprocess.run([str(program)], capture_output=True, text=True, encoding="utf-8", check=False,
                              env={**os.environ, **environment}, stdin=subprocess.DEVNULL, timeout=session.TIMEOUT)
        return done.stderr

    def test_leaks_of_the_photo_browser(self):
        [run] = session.carry_out([{"program": str(PHOTO_BROWSER), "stop": "screenShouldBeGone", "frame": 0,
                                    "commands": ["loupe leaks", "retain-cycles screen"]}])
        leaks, cycles = (answer["output"] for answer in run["commands"])
        self.check("leaks", "(lldb) loupe leaks", leaks)
        self.check("tour", "(lldb) loupe leaks", leaks)
        # The tour is shown from a build tree whose sources LLDB finds.
        self.check("tour", "(lldb) retain-cycles screen",
                   cycles.replace("at PhotoScreen.m:", "at examples/photo_browser/PhotoScreen.m:"))

    def test_examples_of_the_protocol(self):
        text = "".join((SOURCE / "docs" / name).read_text(encoding="utf-8")
                       for name in ("protocol.md", "protocol_heaps.md"))
        examples = re.findall(r"^`([^`]+)`:\n\n```json\n(.*?)^```$", text, re.M | re.S)
        self.assertGreater(len(examples), 5)
        [run] = session.carry_out([{"program": str(SELF_BLOCK), "stop": session.READY,
                                    "commands": [line for line, _ in examples]}])
        places = {}
        for (line, shown), answer in zip(examples, run["commands"]):
            with self.subTest(line):
                printed = json.loads(answer["output"])
                found = matched(json.loads(shown), printed, places)
                self.assertIsNotNone(found, json.dumps(printed, indent=1))
                places.update(found)

    def test_at_exit(self):
        printed = self.run_with(PHOTO_BROWSER, LOUPE_LEAKS="at-exit",
                                LD_PRELOAD=str(BUILD / "at_exit" / "libloupe_leaks.so"))
        self.check("leaks_at_exit", "$ LD_PRELOAD=build/at_exit/libloupe_leaks.so LOUPE_LEAKS=at-exit "
                   "build/examples/photo_browser", printed)

    @unittest.skipUnless(ALBUM.exists(), "GNUstep is not there")
    def test_watch(self):
        printed = self.run_with(ALBUM, LOUPE_WATCH=str(SOURCE / "examples" / "album" / "album.loupe-rules"),
                                LD_PRELOAD=str(BUILD / "watch" / "libloupe_watch.so"))
        self.check("watch", "$ LD_PRELOAD=libloupe_watch.so LOUPE_WATCH=album.loupe-rules ./album", printed)

    @unittest.skipUnless(SLOW_LIBRARY.exists(), "GNUstep is not there")
    def test_hangs(self):
        printed = self.run_with(SLOW_LIBRARY, LOUPE_STALLS="0.4",
                                LD_PRELOAD=str(BUILD / "stacks" / "stalls" / "libloupe_stalls.so"))
        [shown] = samples("hangs").values()
        # What the machine was doing, how often and where, is not the same twice: the sentences are.
        sentences = [re.sub(r"\d+(?:\.\d+)?", "N", line) for line in shown.splitlines()
                     if re.match("loupe: |[A-Z][a-z]+ing |Thread 0 ", line)]
        said = re.sub(r"\d+(?:\.\d+)?", "N", printed)
        self.assertGreater(len(sentences), 3)
        for line in sentences:
            self.assertIn(line, said)

    def test_history(self):
        program = BUILD / "tests" / "lldb" / "programs" / "history"
        done = session.batch("breakpoint set -n historyBegins", "breakpoint set -n historyGoesOn",
                             "process launch --stdout /dev/null -- to-its-end", "up", "loupe history thing", "continue",
                             "loupe history", program=program)
        shown = "".join(line for line in samples("history")["(lldb) loupe history thing"].splitlines(True)
                        if not line.startswith("(lldb) ")).partition("\n")
        for part in (shown[0], shown[2]):
            self.assertIn(alike(part), alike(done.stdout))

    def test_recording(self):
        with tempfile.TemporaryDirectory() as folder:
            core = pathlib.Path(folder) / "core"
            session.save_core(core, SELF_BLOCK, preload=str(BUILD / "record" / "libloupe_record.so"))
            done = subprocess.run([str(BUILD / "cli" / "loupe"), "leaks", str(core)], capture_output=True,
                                  text=True, encoding="utf-8", check=False, timeout=session.TIMEOUT)
        self.check("recording", "$ loupe leaks core", done.stdout)


if __name__ == "__main__":
    unittest.main()
