"""Values beside names in lldb's own variables: live and in cores, without running code."""
import json
import pathlib
import re
import shutil
import tempfile
import unittest

import session

PROGRAM = session.BUILD / "tests" / "heap" / "heap_tagged"
STOP = "tagged_ready"
SAID = {"bytes": '"seven77"', "six": '"New_Views"', "five": '"instruments"', "empty": '""', "one": "1",
        "negative": "-9000000000", "real": "2.5", "vast": "18446744073709551615", "yes": "true",
        "date": "2023-11-14T22:13:20.25Z", "path": "{1, 3}", "list": "3 items"}


def ask(*lines, core=None, program=PROGRAM, stop=STOP):
    [run] = session.carry_out([{"program": str(program), "stop": stop, "core": core, "commands": list(lines)}])
    assert not run["problem"], run["problem"]
    return run["commands"]


class Live(unittest.TestCase):
    """Each also in a core."""

    core = None

    def ask(self, *lines):
        return ask(*lines, core=self.core)

    def test_variables_say_what_objects_say(self):
        if "recognizer" not in session.batch("help type synthetic add").stdout:
            self.skipTest("this lldb takes no function that recognises types")
        *_, plain, title, members = self.ask(
            "type category disable loupe", "frame variable title", "type category enable loupe", "frame variable title",
            "frame variable -P1 sample")[1:]
        self.assertNotIn("local", plain["output"])
        self.assertRegex(title["output"], r'^\(NSString \*\) title = 0x[0-9a-f]+ "local"')
        said = dict(re.findall(r"(?m)^  (\w+) = 0x[0-9a-f]+ (.*?)(?: \{\})?$", members["output"]))
        self.assertEqual(SAID, {name: said.get(name) for name in SAID})
        self.assertRegex(members["output"], r'(?m)^  label = 0x[0-9a-f]+ "said in C ')

    def test_ivars_show_what_pointers_say_that_are_values(self):
        [answer] = self.ask("ivar-layout --json sample")
        shown = {ivar["name"]: ivar["shown"] for ivar in json.loads(answer["output"])["levels"][0]["ivars"] if "shown" in ivar}
        self.assertEqual(('"seven77"', "1", '"said in C \x1b[31m"', "setObject:forKey:"),
                         tuple(shown[name] for name in ("bytes", "one", "label", "action")))

    def test_show_says_what_fields_hold(self):
        [answer] = self.ask("loupe show --json sample")
        fields = {field["name"]: field for field in json.loads(answer["output"])["fields"]}
        said = {name: (fields[name].get("object") or {}).get("value") for name in SAID}
        self.assertEqual(SAID, said)
        self.assertEqual('"said in C \x1b[31m"', fields["label"]["value"])


@unittest.skipUnless(shutil.which("gdb"), "there is no gdb, which writes the core")
class Core(Live):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.core = str(pathlib.Path(folder.name) / "core")
        session.save_core(cls.core, PROGRAM, STOP)


if __name__ == "__main__":
    unittest.main()
