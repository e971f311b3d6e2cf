"""What fields, strings and collections hold, in a dump of a program that knows it, and in the snapshot
that is saved of the dump.

usage: test_values.py LOUPE
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import java

LOUPE = ""
FOLDER = pathlib.Path()
NAMES = ["one", "two", "three"]
LONG = "0123456789" * 100


def run(*words):
    return subprocess.run([LOUPE, *words], capture_output=True, check=True).stdout.decode()


def show(file, address, *options):
    return json.loads(run("show", str(FOLDER / file), address, "--json", *options))


def address_of(file, name):
    found = json.loads(run("find", str(FOLDER / file), name, "--json"))
    return found["objects"][0]["address"]


def value_of(entry):
    """Of a field or an item, as a person reads it."""
    return entry.get("value") if entry["type"] != "object" else (entry["object"] or {}).get("value")


def fields(answer):
    return {field["name"]: value_of(field) for field in answer["fields"]}


def item_name(entry):
    """The name of an Item that an entry leads to, when fields of fields are shown."""
    return json.loads(fields(entry["object"])["name"])


class Values(unittest.TestCase):
    file = "values.hprof"

    def test_fields_have_their_values(self):
        answer = show(self.file, address_of(self.file, "Values$Sample"))
        found = fields(answer)
        expected = {
            "inherited": -7, "yes": True, "letter": "\u00e9", "small": -128, "shorter": -300,
            "number": 42, "large": -2**63, "third": 0.33333334, "tenth": 0.1,
            "infinite": "Infinity", "none": "NaN", "plain": '"Gr\u00fc\u00dfe"',
            "wide": '"\u0416\u0443\u0440\u043d\u0430\u043b \U0001f600"', "empty": '""',
            "nothing": None, "boxed": "1234567", "boxedDouble": "2.5", "boxedLetter": "'x'",
            "colour": "GREEN", "date": "2023-11-14T22:13:20.123Z",
            "instant": "1969-12-31T23:59:59.5Z", "day": "2024-02-29",
            "moment": "1999-12-31T23:59:58", "id": "12345678-9abc-def0-8fed-cba987654321",
            "price": "-0.05", "file": '"/tmp/x"', "uri": '"https://example.com/a?b"',
            "builder": '"built"', "counter": "9", "failure": '"no more"', "numbers": "{1, 2, 3}",
            "url": "http://example.com:8080/index.html"}
        self.assertEqual(expected, {name: found[name] for name in expected})
        self.assertEqual({"Values$Sample", "Values$Base"},
                         {field["declared_by"] for field in answer["fields"]})

    def test_class_object_has_static_fields(self):
        sample = show(self.file, address_of(self.file, "Values$Sample"))
        answer = show(self.file, sample["object"]["kept_by"]["address"])
        self.assertEqual("Values", answer["object"]["is_class"])
        found = fields(answer)
        self.assertEqual((17, '"hello"'), (found["counted"], found["GREETING"]))

    def test_referrers_are_counted_by_class_and_field(self):
        sample = show(self.file, address_of(self.file, "Values$Sample"))
        self.assertEqual(1, sample["incoming_count"])
        one, = sample["incoming"]
        self.assertEqual(("Values", 1, "sample", "static"),
                         (one["class"], one["count"], one["example"]["path"],
                          one["example"]["kind"]))

    def collections(self):
        answer = show(self.file, address_of(self.file, "Values$Collections"), "--depth", "2")
        everything, = [field["object"]["address"] for field in answer["fields"]]
        items = show(self.file, everything, "--limit", "0")["items"]
        return {json.loads(value_of(item["key"])): item["object"]["address"] for item in items}

    def test_collections_have_their_elements(self):
        """depth: fields of what is in them."""
        seen = []
        for kind, address in self.collections().items():
            answer = show(self.file, address, "--depth", "2", "--limit", "0")
            items = [item for item in answer["items"] if item["object"]]
            count = answer["item_count"]
            names = [item_name(item) for item in items if "Enum" not in kind]
            if kind.startswith("bins of"):
                self.assertEqual((40, {"one"}), (count, set(names)), kind)
            elif "Enum" in kind:
                self.assertEqual(1, count, kind)
                self.assertIn("GREEN", [value_of(items[0]), value_of(items[0].get("key", items[0]))])
            elif count != 3:
                self.assertEqual(NAMES[:count], sorted(names), kind)
            elif answer["collection"] == "list":
                self.assertEqual(NAMES, names, kind)
                self.assertEqual([0, 1, 2], [item["index"] for item in items], kind)
            else:
                self.assertEqual(sorted(NAMES), sorted(names), kind)
            if answer["collection"] == "map" and "Enum" not in kind and "bins" not in kind:
                self.assertEqual(names, [json.loads(value_of(item["key"])) for item in items], kind)
            seen.append(kind)
        self.assertGreaterEqual(len(seen), 34)

    def test_array_has_its_elements_at_their_places(self):
        sample = show(self.file, address_of(self.file, "Values$Sample"))
        array = [field["object"]["address"] for field in sample["fields"]
                 if field["name"] == "items"][0]
        items = show(self.file, array, "--depth", "2")["items"]
        self.assertEqual([(0, "first"), (2, "third")],
                         [(item["index"], item_name(item)) for item in items])

    def test_people_read_the_same(self):
        text = run("show", str(FOLDER / self.file), address_of(self.file, "Values$Sample"))
        self.assertIn("= java.lang.String 0x", text)
        self.assertIn('"\u0416\u0443\u0440\u043d\u0430\u043b \U0001f600"', text)
        self.assertIn("large       = -9223372036854775808\n", text)
        self.assertIn("1 × Values.sample (static), of class Values 0x", text)
        maps = run("show", str(FOLDER / self.file), self.collections()["java.util.HashMap"])
        self.assertIn("Map of 3 in 16 places", maps)
        self.assertRegex(maps, r'String 0x\w+ "two" → Values\$Item 0x')


class OfDump(Values):
    def test_long_text_is_whole_on_request(self):
        sample = address_of(self.file, "Values$Sample")
        shown = run("show", str(FOLDER / self.file), sample)
        self.assertNotIn(LONG, shown)
        self.assertIn(LONG[:100], shown)
        self.assertIn(f'"{LONG}"', run("show", str(FOLDER / self.file), sample, "-v"))


class OfSnapshot(Values):
    file = "values.loupe"

    def test_text_that_the_file_does_not_keep_is_told_to_be_cut(self):
        sample = show(self.file, address_of(self.file, "Values$Sample"), "-v")
        self.assertEqual(f'"{LONG[:256]}..."', fields(sample)["longText"])


del Values

if __name__ == "__main__":
    java.need_java()
    LOUPE = sys.argv[1]
    with tempfile.TemporaryDirectory() as directory:
        FOLDER = pathlib.Path(directory)
        java.compile_sources(FOLDER / "classes", [java.HERE / "values" / "Values.java"])
        java.run_java(str(FOLDER / "classes"), "Values", str(FOLDER / "values.hprof"))
        run("snapshot", str(FOLDER / "values.hprof"), str(FOLDER / "values.loupe"))
        unittest.main(argv=sys.argv[:1])
