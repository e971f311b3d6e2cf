"""Pages by the checker of HTML that Debian has, and what they may load and run."""
import base64
import hashlib
import re
import shutil
import subprocess
import unittest

import tool
from answers import cycles
from pages import held_ring, hostile_answer

OWN = 200_000


class Markup(unittest.TestCase):
    @unittest.skipUnless(shutil.which("tidy"), "there is no tidy (Debian: apt-get install tidy)")
    def test_tidy_has_nothing_to_say(self):
        for answer in (held_ring(), hostile_answer(), cycles({}, [])):
            page = tool.drawn(answer, "html").encode()
            told = subprocess.run(["tidy", "-q", "-e", "-utf8"], input=page, capture_output=True, check=False)
            self.assertEqual((b"", 0), (told.stderr, told.returncode))

    def test_it_is_small_and_needs_nothing_else(self):
        page = tool.drawn(cycles({}, []), "html")
        self.assertLess(len(page.encode()), OWN)
        self.assertEqual([], re.findall(r"\b(?:src|href)=[\"']?(?!#)", page.split("<script>")[0]))
        self.assertNotRegex(page, r"https?://(?!www\.w3\.org/2000/svg)")

    def test_the_policy_names_what_runs_by_its_hash(self):
        page = tool.drawn(held_ring(), "html")
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        self.assertEqual("'none'", rules["default-src"])
        self.assertEqual(("'none'", "'none'"), (rules["base-uri"], rules["form-action"]))
        for name, tag in (("script-src", "script"), ("style-src", "style")):
            text = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.S)[1]
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            self.assertEqual(f"'sha256-{digest}'", rules[name])

    def test_nothing_of_the_target_is_markup(self):
        page = tool.drawn(hostile_answer(), "html", "--title", "</title><script>")
        head, _, rest = page.partition('id="data">')
        data, _, program = rest.partition("</script>")
        self.assertNotIn("<", data)
        self.assertTrue(data.isascii())
        self.assertEqual(tool.drawn(cycles({}, []), "html").partition('id="data">')[0], head)
        self.assertTrue(program.startswith("\n<script>'use strict';"))


if __name__ == "__main__":
    unittest.main()
