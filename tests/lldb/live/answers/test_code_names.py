"""Programs that were stripped: frames are called by the runtime's methods, blocks by their place."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import session

GNUSTEP = session.BUILD / "tests" / "gnustep"
KEPT = ["loupe_fixture_ready", "held"]


def stripped(program, directory, keep):
    copy = os.path.join(directory, os.path.basename(str(program)))
    options = [f"--keep-symbol={name}" for name in keep]
    subprocess.run(["strip", "--strip-all", *options, "-o", copy, str(program)], check=True)
    return copy


def ask(program, *lines):
    [run] = session.carry_out([{"program": program, "stop": session.READY, "frame": 0,
                                "commands": list(lines)}])
    assert not run["problem"], run["problem"]
    return [result["output"] + result["error"] for result in run["commands"]]


@unittest.skipUnless(shutil.which("strip"), "there is no strip")
class Frames(unittest.TestCase):
    def check(self, compiler, engine):
        program = GNUSTEP / compiler / "called_back"
        if not program.exists():
            raise unittest.SkipTest("no GNUstep here")
        with tempfile.TemporaryDirectory() as directory:
            [text] = ask(stripped(program, directory, KEPT),
                         f"strong-refs --engine {engine} --incoming held")
        # Of the method that the run loop called, of the function that it called, and no other's.
        self.assertRegex(text, r"stack of -\[Caller called:\], thread 1 ")
        self.assertRegex(text, r"stack of called_back\+0x\w+, thread 1 ")
        self.assertNotRegex(text, r"unnamed|\+\[Caller|was freed")

    def test_from_outside(self):
        for compiler in ("gobjc", "clang"):
            self.check(compiler, "memory")

    @unittest.skipUnless(os.uname().sysname == "Linux", "lldb saves cores of the kind there")
    def test_on_a_core(self):
        program = GNUSTEP / "gobjc" / "called_back"
        if not program.exists():
            raise unittest.SkipTest("no GNUstep here")
        with tempfile.TemporaryDirectory() as directory:
            copy = stripped(program, directory, KEPT)
            core = os.path.join(directory, "called_back.dmp")
            ask(copy, f"process save-core --plugin-name=minidump --style=full {core}")
            if not os.path.exists(core):
                raise unittest.SkipTest("this lldb saves no whole minidump")
            [run] = session.carry_out([{"program": copy, "stop": session.READY, "core": core,
                                        "commands": ["strong-refs --incoming held"]}])
        self.assertRegex(run["commands"][0]["output"],
                         r"stack of -\[Caller called:\], thread 1 ")

    def test_by_the_helper(self):
        self.check("gobjc", "helper")

    def test_of_a_library_that_was_stripped(self):
        program = GNUSTEP / "gobjc" / "called_back"
        if not program.exists():
            raise unittest.SkipTest("no GNUstep here")
        starts = "!';'.join(f'code {frame.GetSymbol().GetStartAddress().GetLoadAddress(target):#x}' " \
                 "for frame in process.GetSelectedThread() if 'gnustep-base' in " \
                 "str(frame.GetModule().GetFileSpec().GetFilename()))"
        [directives] = ask(str(program), starts)
        [answer] = ask(str(program), "loupe doctor",
                       f"loupe-engine methods --address 0 --with \"{directives.strip()}\"")[1:]
        names = [item["method"] for item in json.loads(answer)["methods"]]
        for name in ("-[NSTimer fire]", "-[NSRunLoop limitDateForMode:]",
                     "-[NSRunLoop runUntilDate:]"):
            self.assertIn(name, names)


@unittest.skipUnless(shutil.which("strip"), "there is no strip")
class Blocks(unittest.TestCase):
    def test_a_block_goes_by_its_place_between_methods(self):
        place = "!hex(frame.FindVariable('block').GetNonSyntheticValue().GetData()" \
                ".GetUnsignedInt64(lldb.SBError(), 0))"
        program = session.fixture("captures_mixed")
        with tempfile.TemporaryDirectory() as directory:
            copy = stripped(program, directory, KEPT)
            [named] = session.carry_out([{"program": program, "stop": session.READY,
                                          "commands": [place]}])
            address = named["commands"][0]["output"].strip()
            text, answer = ask(copy, f"block-layout {address}", f"block-layout -j {address}")
        invoke = json.loads(answer)["block"]["invoke"]
        self.assertIsNone(invoke["symbol"])
        self.assertRegex(invoke["place"], r"\Acaptures_mixed\+0x\w+\Z")
        self.assertTrue(all(name.startswith("-[Owner ") for name in invoke["between"]), invoke)
        self.assertIn(f" that runs {invoke['place']}, between {' and '.join(invoke['between'])}\n",
                      text)


if __name__ == "__main__":
    unittest.main()
