"""What ivars and objects of Foundation hold, of a process, a snapshot of it, and one without texts.

usage: test_values.py LOUPE PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

LOUPE, PROGRAM = "", ""
FOLDER = pathlib.Path()
EXPECTED = {
    "base": -7, "title": '"Inbox 5"', "wide": '"\u0416\u0443\u0440\u043d\u0430\u043b \U0001f600"',
    "literal": '"as it is"', "changing": '"changing"', "nothing": None, "count": 42, "small": -3,
    "big": 2**64 - 1, "third": 0.33333334, "tenth": 0.1, "place.x": 1.5, "place.y": -2.0,
    "flag": True, "bits": 5, "letters[0]": 0, "letters[1]": 65535, "number": "1234567",
    "real": "2.5", "negative": "-9000000000", "date": "2023-11-14T22:13:20.25Z",
    "data": "7 bytes: 68 65 6c 6c 6f 00 ff", "url": "https://example.com/a", "error": "Demo -5",
    "exception": "Oops: no reason", "list": "2 items", "map": "1 item", "set": "1 item",
    "price": "1234.5678", "loss": "-0.05", "zero": "0", "vast": "12E40", "no_number": "NaN",
    "uuid": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "no_index": "0 indexes", "one_index": "1 index: 7",
    "indexes": "5 indexes: 3-6, 20", "range": "{3, 4}", "rectangle": "{1.0, 2.0, 3.5, -4.0}", "pointer": "0x1234",
    "boxed": "{-1, 2.5}", "label": '"said in C"', "action": "addObject:"}


def run(*words):
    return subprocess.run([LOUPE, *words], capture_output=True, check=True).stdout.decode()


def run_leaks():
    done = subprocess.run([LOUPE, "leaks", str(PROCESS)], capture_output=True, check=False)
    return done.stdout.decode()


def show(target, address):
    return json.loads(run("show", str(target), address, "--json"))


def left_out(target):
    return {entry["code"]: entry["count"]
            for entry in json.loads(run("heap", str(target), "--json"))["not_followed"]}


def value_of(entry):
    return entry.get("value") if entry["type"] != "object" else (entry["object"] or {}).get("value")


class Values(unittest.TestCase):
    def check(self, target):
        answer = show(target, ADDRESS)
        fields = {field["name"]: field for field in answer["fields"]}
        self.assertEqual(EXPECTED, {name: value_of(fields[name]) for name in EXPECTED})
        self.assertEqual(fields["kind"]["object"]["is_class"], "NSArray")
        self.assertEqual(fields["base"]["declared_by"], "Base")
        self.assertEqual(answer["object"]["retain_count"], 1)
        numbered = fields["list"]["object"]["address"]
        self.assertEqual([(0, '"Inbox 5"'), (1, "1234567")],
                         [(item["index"], value_of(item))
                          for item in show(target, numbered)["items"]])
        keyed, = show(target, fields["map"]["object"]["address"])["items"]
        self.assertEqual(('["one"]', "1234567"), (keyed["name"], value_of(keyed)))
        number = show(target, fields["number"]["object"]["address"])
        self.assertIn(("Sample", "number"),
                      [(one["class"], one["example"]["path"]) for one in number["incoming"]])

    def test_process(self):
        self.check(PROCESS)

    def test_references_and_leaks_tell_them(self):
        refs = json.loads(run("strong-refs", str(PROCESS), ADDRESS, "--json"))
        self.assertEqual({"title": '"Inbox 5"', "number": "1234567", "data": EXPECTED["data"], "set": "1 item", "none": "0 items"},
                         {edge["path"]: refs["objects"][edge["to"]].get("value") for edge in refs["edges"]
                          if edge["path"] in ("title", "number", "data", "set", "none")})
        self.assertRegex(run("strong-refs", str(PROCESS), ADDRESS), r'(?m)^  title +.* 0x[0-9a-f]+ "Inbox 5"$')
        text = run_leaks()
        self.assertRegex(text, r'Leak: NSString 0x[0-9a-f]+ "left behind"')
        self.assertRegex(text, r'  0x[0-9a-f]+ 2023-11-14T22:13:2[12]Z, 0x[0-9a-f]+ 2023-11-14T22:13:2[12]Z\n')
        self.assertRegex(text, r'(?m)→ NSMutableArray 0x[0-9a-f]+ 1 item$')

    def test_strings_of_c_and_selectors(self):
        layout = json.loads(run("ivar-layout", str(PROCESS), ADDRESS, "--json"))
        self.assertEqual({"label": '"said in C"', "action": "addObject:"},
                         {ivar["name"]: ivar["shown"] for ivar in layout["levels"][0]["ivars"] if "shown" in ivar})
        text = run("ivar-layout", str(PROCESS), ADDRESS)
        self.assertRegex(text, r'(?m)  label  .* "said in C"$')
        self.assertRegex(text, r"(?m)  astray  .* 0x8$")

    def test_snapshot(self):
        run("snapshot", str(PROCESS), str(FOLDER / "saved.loupe"))
        self.check(FOLDER / "saved.loupe")
        found = json.loads(run("find", str(FOLDER / "saved.loupe"), "NSIntNumber", "--json"))
        self.assertIn("1234567", [entry["value"] for entry in found["objects"]])
        self.assertIn(b"https://example.com/a", (FOLDER / "saved.loupe").read_bytes())

    def test_snapshot_without_texts(self):
        """A field of a native heap may be a short string in the word itself: none is kept."""
        saved = FOLDER / "redacted.loupe"
        run("snapshot", "--redact", str(PROCESS), str(saved))
        self.assertNotIn(b"https://example.com/a", saved.read_bytes())
        self.assertNotIn(b'"one"', saved.read_bytes())
        fields = show(saved, ADDRESS)["fields"]
        self.assertEqual({False}, {field.get("known") for field in fields})

    def test_limits_are_told(self):
        self.assertFalse({"fields-limit", "texts-limit"} & set(left_out(PROCESS)))
        with subprocess.Popen([PROGRAM, "many"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            told = left_out(process.pid)
            process.communicate(b"\n")
        self.assertEqual(1, told["fields-limit"])
        self.assertTrue(1000 < told["texts-limit"] < 10000, told["texts-limit"])

    def test_people_read_the_same(self):
        text = run("show", str(PROCESS), ADDRESS)
        self.assertIn('"\u0416\u0443\u0440\u043d\u0430\u043b \U0001f600"', text)
        self.assertRegex(text, r"(?m)^    nothing    = nil(?: \(values\.m:\d+\))?$")
        self.assertRegex(text, r"(?m)^    big        = 18446744073709551615(?: \(values\.m:\d+\))?$")
        self.assertRegex(text, r"    kind       = class NSArray 0x")


if __name__ == "__main__":
    LOUPE, PROGRAM = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as directory, \
            subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        FOLDER, PROCESS = pathlib.Path(directory), process.pid
        ADDRESS = process.stdout.readline().decode().strip()
        result = unittest.main(argv=sys.argv[:1], exit=False).result
        process.communicate(b"\n")
    sys.exit(not result.wasSuccessful())
