#!/usr/bin/env python3
"""The site of docs/: its check finds what leads nowhere, and its pages are whole."""
import html.parser
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path()
VOID = {"meta", "link", "img", "br", "hr", "input"}


class Markup(html.parser.HTMLParser):
    """The links of a page; raises where what is opened is not closed."""

    def __init__(self):
        super().__init__()
        self.links, self.fetched, self.ids, self._open = [], [], set(), []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.links += [found[name] for name in ("href", "src") if found.get(name)]
        if tag in ("script", "img") or found.get("rel") == "stylesheet":
            self.fetched += [found[name] for name in ("href", "src") if found.get(name)]
        self.ids.add(found.get("id"))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID: # of SVG
            self._open.pop()

    def handle_endtag(self, tag):
        opened = self._open.pop()
        assert opened == tag, f"{opened} is closed by {tag} at {self.getpos()}"


class Links(unittest.TestCase):
    def problems_of(self, **pages):
        with tempfile.TemporaryDirectory() as folder:
            docs = pathlib.Path(folder) / "docs"
            docs.mkdir()
            for name, text in pages.items():
                (docs / f"{name}.md").write_text(text, encoding="utf-8")
            finished = subprocess.run([sys.executable, "-B", str(ROOT / "docs" / "site" / "links.py"),
                                       folder], capture_output=True, text=True, check=False)
        return finished.returncode, finished.stdout

    def test_what_leads_nowhere_is_found(self):
        status, said = self.problems_of(index="[a](gone.md) [b](other.md#nothing) `[c](code.md)`",
                                        other="# One\n[d](#one) [e](https://example.org/x)",
                                        lonely="# Nobody\n```\n[f](fenced.md)\n```\n")
        self.assertEqual(1, status)
        self.assertEqual(["docs/index.md: gone.md is not there",
                          "docs/index.md: other.md#nothing: no such heading",
                          "docs/lonely.md: no page links to it"], sorted(said.splitlines()))

    def test_headings_are_named_as_hosts_do(self):
        status, said = self.problems_of(index="[a](#what-c-owns-and-its-price) [b](b.md)",
                                        b="# B\n## x\n[c](index.md#what-c-owns-and-its-price)")
        self.assertEqual(1, status, said)
        status, said = self.problems_of(
            index="## What `C++` *owns*, and its price?\n[a](#what-c-owns-and-its-price)")
        self.assertEqual((0, "no link leads nowhere\n"), (status, said))


class Site(unittest.TestCase):
    def test_each_page_is_whole_and_leads_to_what_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            built = subprocess.run(["/usr/bin/mkdocs", "build", "--quiet", "--strict", "--site-dir", folder], cwd=ROOT,
                                   env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
                                   capture_output=True, text=True, check=False)
            self.assertEqual((0, ""), (built.returncode, built.stdout + built.stderr))
            said = pathlib.Path(folder, "leaks.html").read_text(encoding="utf-8")
            self.assertIn("<title>Find leaks with loupe leaks - Loupe</title>", said)
            self.assertNotIn("with `loupe leaks`", said)  # in menus, which have no code
            pages = {}
            for path in pathlib.Path(folder).glob("*.html"):
                pages[path.name] = Markup()
                pages[path.name].feed(path.read_text(encoding="utf-8"))
            self.assertEqual({path.stem for path in (ROOT / "docs").glob("*.md")},
                             {name[:-5] for name in pages if name != "404.html"})
            found = json.loads(pathlib.Path(folder, "search", "search_index.json").read_text(encoding="utf-8"))
            self.assertIn("leaks.html", {entry["location"] for entry in found["docs"]})
            for name, page in pages.items():
                self.assertEqual([], [link for link in page.fetched if "//" in link], f"{name} fetches")
                for link in page.links:
                    target, _, place = link.partition("#")
                    if "://" in link or name == "404.html":
                        continue
                    self.assertTrue((pathlib.Path(folder) / target).exists(), f"{name}: {link}")
                    if place:
                        self.assertIn(place, pages[target or name].ids, f"{name}: {link}")


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv.pop()).resolve()
    if not shutil.which("/usr/bin/mkdocs") or not pathlib.Path("/usr/share/mkdocs/themes/material").is_dir():
        print("mkdocs and mkdocs-material are not here: the site is not built")
        del Site
    unittest.main()
