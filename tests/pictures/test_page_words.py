"""What the script of a page calls an object: its value stands beside its name, cut, and can rule nothing. By node, without
a browser.

usage: test_page_words.py ...
"""
import json
import pathlib
import shutil
import subprocess
import unittest

BASE = pathlib.Path(__file__).resolve().parents[2] / "pictures" / "page" / "page_base.js"
NODE = shutil.which("node")
PAGE = """
const vm = require('vm'), fs = require('fs');
const page = vm.createContext({document: {getElementById: () => ({textContent: '{}'})}});
vm.runInContext(fs.readFileSync(process.argv[1], 'utf8'), page);
const [call, thing] = JSON.parse(process.argv[2]);
page.thing = thing;
process.stdout.write(JSON.stringify(vm.runInContext(call + '(thing)', page)));
"""


def call(function, **thing):
    done = subprocess.run([NODE, "-e", PAGE, str(BASE), json.dumps([function, {"address": "0x1f00", **thing}])],
                          capture_output=True, check=True)
    return json.loads(done.stdout)


@unittest.skipUnless(NODE, "there is no node")
class Words(unittest.TestCase):
    def test_the_value_stands_behind_the_address(self):
        self.assertEqual('NSString 0x1f00 "Inbox"', call("thingInWords", name="NSString", value='"Inbox"'))
        self.assertEqual("NSArray 0x1f00 3 items", call("thingInWords", name="NSArray", value="3 items"))
        self.assertEqual("Owner 0x1f00", call("thingInWords", name="Owner"))

    def test_a_block_has_its_place(self):
        self.assertEqual("block at a.m:3", call("thingInWords", name="block", file="a.m", line=3, value="x"))

    def test_a_long_value_is_cut_between_characters(self):
        self.assertEqual("\U0001f600" * 40 + "\u2026", call("valueOf", value="\U0001f600" * 90))
        self.assertEqual("a" * 40, call("valueOf", value="a" * 40))


if __name__ == "__main__":
    unittest.main()
