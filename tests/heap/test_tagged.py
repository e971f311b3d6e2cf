"""Values that are pointers themselves, numbers, strings of C and selectors on Apple's layout: of a process, a snapshot of
it, and a core.

usage: test_tagged.py LOUPE PROGRAM [GDB]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "serve"))
import client  # noqa: E402

LOUPE, PROGRAM = "", ""
GDB = ""
FOLDER = pathlib.Path()
EXPECTED = {
    "bytes": ("NSString", '"seven77"'), "six": ("NSString", '"New_Views"'), "five": ("NSString", '"instruments"'),
    "empty": ("NSString", '""'), "one": ("NSNumber", "1"), "negative": ("NSNumber", "-9000000000"),
    "date": ("NSDate", "2023-11-14T22:13:20.25Z"), "path": ("NSIndexPath", "{1, 3}")}
NUMBERS = {"real": "2.5", "single": "0.5", "largest": "9223372036854775807", "vast": "18446744073709551615",
           "yes": "true", "no": "false"}


ENDLESS = "abcdefghijklmnopqrstuvwxyz" * 40


def run(*words):
    return subprocess.run([LOUPE, *map(str, words)], capture_output=True, check=True).stdout.decode()


def show(target, address=None):
    return json.loads(run("show", target, address or ADDRESS, "--json"))


class Tagged(unittest.TestCase):
    def check(self, target):
        fields = {field["name"]: field for field in show(target)["fields"]}
        self.assertEqual(EXPECTED, {name: (fields[name]["object"].get("class"), fields[name]["object"].get("value"))
                                    for name in EXPECTED})
        self.assertEqual(NUMBERS, {name: fields[name]["object"].get("value") for name in NUMBERS})
        texts = {name: field.get("value") for name, field in fields.items() if field["type"] == "text"}
        self.assertEqual({"label": '"said in C \x1b[31m"', "action": "setObject:forKey:"},
                         {name: value for name, value in texts.items() if name != "endless"})
        self.assertEqual(f'"{ENDLESS[:1018]}..."', texts["endless"])
        self.assertEqual(({"address": "0x8"}, None), (fields["astray"]["object"], fields["nothing"]["object"]))
        text = run("show", target, ADDRESS)
        self.assertRegex(text, r'(?m)^    label += "said in C \\x1b\[31m"')
        self.assertRegex(text, r'(?m)^    five +=( NSString)? "instruments"')
        folder = fields["folder"]["object"]["address"]
        entries = show(target, folder)["fields"][0]["object"]["address"]
        items = {item["name"]: item["object"] for item in show(target, entries)["items"]}
        self.assertEqual(("Folder", "7"), (items['["inbox"]']["class"], items['["count"]']["value"]))
        listed = fields["list"]["object"]["address"]
        self.assertEqual([(0, "1"), (1, None), (2, '"in it"')],
                         [(item["index"], item["object"].get("value")) for item in show(target, listed)["items"]])
        self.assertIn("List of 3\n    [0] NSNumber 1\n    [1] Sample", run("show", target, listed))

    def test_process(self):
        self.check(PROCESS)

    def test_words_as_they_stand(self):
        """Without an obfuscator the words of a process are those that are published."""
        environment = {**os.environ, "OBJC_DISABLE_TAG_OBFUSCATION": "YES"}
        with subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
            address = process.stdout.readline().decode().strip()
            fields = {field["name"]: field["object"] for field in show(process.pid, address)["fields"] if "object" in field}
            process.communicate(b"\n")
        self.assertEqual(("NSNumber", "1"), (fields["one"]["class"], fields["one"]["value"]))

    def test_a_ring_names_its_key(self):
        for command in ("strong-refs", "cycles"):
            words = (command, PROCESS, *([ADDRESS] if command == "strong-refs" else []), "--json")
            self.assertIn('[\\"inbox\\"]', run(*words) if command == "cycles" else run(*words[:2], self.entries(), "--json"))

    def entries(self):
        folder = next(field for field in show(PROCESS)["fields"] if field["name"] == "folder")["object"]["address"]
        return show(PROCESS, folder)["fields"][0]["object"]["address"]

    def test_snapshot(self):
        saved = FOLDER / "saved.loupe"
        run("snapshot", PROCESS, saved)
        self.check(saved)
        [rows] = [json.loads(run("sql", saved, "select name, value from fields where value is not null and "
                                 "class = 'Sample'", "--json"))["rows"]]
        self.assertEqual({"bytes": "seven77", "empty": "", "one": "1", "label": "said in C \x1b[31m", "action": "setObject:forKey:"},
                         {name: value for name, value in rows if name in ("bytes", "empty", "one", "label", "action")})
        [[said]] = json.loads(run("sql", saved, "select field(object, 'label') || field(object, 'one') from objects "
                                  "where class = 'Sample'", "--json"))["rows"]
        self.assertEqual("said in C \x1b[31m1", said)
        with client.Client(LOUPE) as whole, client.Client(LOUPE, "--no-values") as without:
            told, kept = (json.dumps(one.call("show", file=str(saved), object=ADDRESS)) for one in (whole, without))
        for secret in ("seven77", "9000000000", "said in C", "setObject", "2023"):
            self.assertIn(secret, told)
            self.assertNotIn(secret, kept)

    def test_snapshot_without_texts(self):
        run("snapshot", "--redact", PROCESS, FOLDER / "redacted.loupe")
        self.assertEqual({False}, {field.get("known") for field in show(FOLDER / "redacted.loupe")["fields"]})
        self.assertNotIn("inbox", run("cycles", FOLDER / "redacted.loupe", "--json"))
        listed = next(field for field in show(PROCESS)["fields"] if field["name"] == "list")["object"]["address"]
        self.assertEqual(["Sample"], [item["object"]["class"] for item in show(FOLDER / "redacted.loupe", listed)["items"]])

    def test_core(self):
        if not GDB:
            self.skipTest("there is no gdb")
        core = FOLDER / "core"
        subprocess.run([GDB, "-nx", "-batch", "-p", str(PROCESS), "-ex", f"generate-core-file {core}"],
                       capture_output=True, check=True)
        self.check(core)
        run("snapshot", core, FOLDER / "core.loupe")
        self.check(FOLDER / "core.loupe")


if __name__ == "__main__":
    LOUPE, PROGRAM = sys.argv[1:3]
    GDB = sys.argv[3] if len(sys.argv) > 3 else ""
    with tempfile.TemporaryDirectory() as directory, \
            subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        FOLDER, PROCESS = pathlib.Path(directory), process.pid
        ADDRESS = process.stdout.readline().decode().strip()
        result = unittest.main(argv=sys.argv[:1], exit=False).result
        process.communicate(b"\n")
    sys.exit(not result.wasSuccessful())
