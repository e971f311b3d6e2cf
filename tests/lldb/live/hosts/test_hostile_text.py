"""Names of the target that would forge lines or drive the terminal, from both engines, everywhere."""
import json
import pathlib
import tempfile
import unittest

import session

# As long as what they are written over: the class and the ivar of the fixture. No engine takes
# control characters of ASCII for the name of a class.
NAMES = {b"Owner": "\u202e\x9b".encode("utf-8"), b"_handler": "\x1b[2J\r\n\x85".encode("utf-8")}
# Both names wherever a string of the program is one of them.
WRITE = ("![process.WriteMemory(part.GetLoadAddress(target) + at, new, lldb.SBError())"
         f" for old, new in {NAMES!r}.items()"
         " for section in target.module[0].sections for part in [section, *section]"
         " if not part.GetNumSubSections() and part.GetLoadAddress(target) < 1 << 63"
         " for data in [bytes(part.GetSectionData().uint8)]"
         " for at in range(len(data)) if data.startswith(old + b'\\0', at)]")
ESCAPED = (r"\u202e\x9b", r"\x1b[2J\x0d\x0a\x85")


class HostileText(unittest.TestCase):
    def ask(self, *commands):
        [run] = session.carry_out([{"program": session.fixture("self_block"),
                                    "stop": session.READY, "commands": [WRITE, *commands]}])
        self.assertEqual("", run["problem"])
        written, *results = run["commands"]
        self.assertRegex(written["output"], r"\[.*8.*\]")
        return results

    def check(self, text):
        for line in text.rstrip("\n").split("\n"):
            self.assertTrue(line.isprintable(), repr(line))

    def test_reports_of_both_engines(self):
        commands = [f"{command} --engine {engine} -v {what}" for engine in ("memory", "helper")
                    for command, what in (("retain-cycles", "seed"), ("strong-refs", "seed"),
                                          ("strong-refs --incoming", "seed"),
                                          ("ivar-layout", "seed"), ("block-layout", "block"))]
        for line, result in zip(commands, self.ask(*commands)):
            with self.subTest(line):
                self.assertTrue(result["ok"], result["error"])
                self.check(result["output"])
                if "block-layout" not in line:
                    self.assertIn(ESCAPED[0], result["output"])
                if "retain-cycles" in line:
                    self.assertIn(ESCAPED[1], result["output"])

    def test_json_pictures_and_the_bare_engine_are_ascii(self):
        with tempfile.TemporaryDirectory() as directory:
            picture, file = pathlib.Path(directory, "a.dot"), pathlib.Path(directory, "a.json")
            results = self.ask("retain-cycles -j seed", f"retain-cycles --dot {picture} seed",
                               f"retain-cycles -j -o {file} seed",
                               "!'loupe-engine retain-cycles --address '"
                               " + hex(frame.FindVariable('seed').unsigned)")
            [_, engine] = self.ask("loupe doctor", results[3]["output"])
            self.check(picture.read_text(encoding="utf-8"))
            self.assertIn(r"\\u202e\\x9b", picture.read_text(encoding="utf-8"))
            for line in (results[0]["output"], file.read_text(encoding="utf-8"), engine["output"]):
                self.assertRegex(line.strip("\n"), r"\A[ -~]+\Z")
                self.assertIn("\u202e\x9b", {thing["class"] for thing
                                            in json.loads(line)["objects"].values()})

    def test_errors(self):
        [error] = self.ask("block-layout seed")
        self.assertFalse(error["ok"])
        self.check(error["error"])
        self.assertIn(ESCAPED[0], error["error"])


if __name__ == "__main__":
    unittest.main()
