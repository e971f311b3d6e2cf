"""Programs of npm that nobody here wrote: a viewer of JUnit's reports, the inspector of the Model Context Protocol,
and a follower of links on the site of docs/.

usage: test_others.py PROJECT NODE MODULES; LOUPE is the tool
"""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Optional

import tool
from answers import cycles, self_in_block
from drawn_dump import ring
from pages import held_ring, hostile_answer

PROJECT, NODE, MODULES = sys.argv[1:]
LOUPE = os.environ["LOUPE"]
MKDOCS = "/usr/bin/mkdocs"
EVERYTHING_ELSE = r"^https?://(?!localhost|127\.)"


def program(name: str) -> pathlib.Path:
    return pathlib.Path(MODULES, ".bin", name)


def run(name: str, *words: object, folder: Optional[str] = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([NODE, program(name), *map(str, words)], capture_output=True, text=True, timeout=600,
                          check=False, cwd=folder, env={**os.environ, "NO_COLOR": "1", "TERM": "dumb"})


class Reports(unittest.TestCase):
    def viewed(self, report: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "report.xml")
            path.write_text(report, encoding="utf-8")
            done = run("xunit-viewer", "-r", path, "-c", "-o", pathlib.Path(folder, "report.html"))
            self.assertTrue(pathlib.Path(folder, "report.html").exists(), done.stdout + done.stderr)
            return done.stdout

    def test_junit(self) -> None:
        for answer in (held_ring(), self_in_block(), cycles({}, []), hostile_answer()):
            report = tool.drawn(answer, "junit")
            shown = self.viewed(report)
            self.assertIn("1 passed", shown)
            self.assertEqual(report.count("<failure "), int((re.findall(r"(\d+) failure", shown) or ["0"])[0]))
            for message in re.findall(r' name="([^"]+)"', report)[1:]:
                self.assertIn(html.unescape(message).split("\n")[0], shown)

    def test_the_viewer_does_look(self) -> None:
        self.assertNotRegex(self.viewed(tool.drawn(held_ring(), "junit").replace("failure", "system-out")), "\\d failure")


class Inspector(unittest.TestCase):
    def setUp(self) -> None:
        about = json.loads(pathlib.Path(MODULES, "@modelcontextprotocol", "inspector", "package.json").read_text(encoding="utf-8"))
        wanted = [int(number) for number in re.findall(r"\d+", about["engines"]["node"])]
        there = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout
        if [int(number) for number in re.findall(r"\d+", there)] < wanted:
            self.skipTest(f"the inspector needs node {about['engines']['node']}, here is {there.strip()}")

    def asked(self, *words: object) -> "tool.Json":
        with tempfile.TemporaryDirectory() as folder:
            done = run("mcp-inspector", "--cli", LOUPE, "serve", *words, folder=folder)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_tools(self) -> None:
        tools = {entry["name"]: entry for entry in self.asked("--method", "tools/list")["tools"]}
        self.assertLessEqual({"open", "leaks", "cycles", "path", "suspects"}, set(tools))
        for entry in tools.values():
            self.assertNotIn("debuginfod", entry["inputSchema"]["properties"])  # no server reaches the network
        with tempfile.TemporaryDirectory() as folder:
            heap = pathlib.Path(folder, "ring.hprof")
            heap.write_bytes(ring().bytes())
            said = self.asked("--method", "tools/call", "--tool-name", "cycles", "--tool-arg", f"file={heap}")
        self.assertEqual(1, said["structuredContent"]["answer"]["found"])


@unittest.skipUnless(shutil.which(MKDOCS) and pathlib.Path("/usr/share/mkdocs/themes/material").is_dir(),
                     "no mkdocs with mkdocs-material")
class Site(unittest.TestCase):
    def build(self, folder: str) -> None:
        subprocess.run([MKDOCS, "build", "--quiet", "--strict", "--site-dir", folder], cwd=PROJECT, check=True,
                       env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"})

    def broken(self, folder: str) -> "list[str]":
        done = run("linkinator", folder, "--recurse", "--format", "json", "--skip", EVERYTHING_ELSE)
        links = json.loads(done.stdout)["links"]
        seen = {pathlib.Path(link["url"]).name for link in links}
        self.assertLessEqual({path.name for path in pathlib.Path(PROJECT, "docs").glob("*.md")},
                             {name.replace(".html", ".md") for name in seen | {"index.html"}})
        return [link["url"] for link in links if link["state"] == "BROKEN"]

    def test_no_link_is_broken(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.build(folder)
            self.assertEqual([], self.broken(folder))
            page = pathlib.Path(folder, "index.html")
            page.write_text(page.read_text(encoding="utf-8").replace('href="leaks.html"', 'href="leeks.html"'), encoding="utf-8")
            self.assertEqual(1, len(self.broken(folder)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
