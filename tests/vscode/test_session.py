"""The extension with a real lldb-dap, and what its panel shows in a real browser."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import browser
import session

NODE, EXTENSION = "", pathlib.Path()
NONCE = "0123456789abcdef"
# What the editor gives to a panel's page, kept where the test can see it.
EDITOR = (f'<script nonce="{NONCE}">window.posted = []; window.acquireVsCodeApi = () => '
          "({postMessage: (message) => window.posted.push(message)});</script>")


def adapter():
    debugger = pathlib.Path(session.debugger())
    found = shutil.which(debugger.with_name(debugger.name.replace("lldb", "lldb-dap", 1)))
    if found is None:
        raise unittest.SkipTest("this lldb has no lldb-dap")
    return found


def ask(folder):
    """Runs the extension's own tests against the adapter; the page that they keep."""
    kept = pathlib.Path(folder) / "page.html"
    server = shutil.which(pathlib.Path(session.debugger()).name.replace("lldb", "lldb-server"))
    env = session.environment(
        LOUPE_TEST_DAP=adapter(), LOUPE_TEST_PROGRAM=session.fixture("self_block"),
        LOUPE_TEST_COMMANDS=session.COMMANDS, LOUPE_TEST_PAGE=kept, LLDB_DEBUGSERVER_PATH=server)
    finished = subprocess.run([NODE, "--test", str(EXTENSION / "out" / "test" / "lldb.test.js")],
                              cwd=folder, env=env, capture_output=True, text=True, check=False,
                              timeout=session.TIMEOUT)
    return finished, kept


class Session(unittest.TestCase):
    def test_questions_through_the_adapter(self):
        with tempfile.TemporaryDirectory() as folder:
            finished, kept = ask(folder)
            self.assertEqual(0, finished.returncode, finished.stdout + finished.stderr)
            self.assertNotIn("# SKIP", finished.stdout)
            self.assertTrue(kept.exists())


@unittest.skipUnless(browser.find(), "no Chromium here")
class Panel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        _, kept = ask(folder.name)
        made = subprocess.run([NODE, str(EXTENSION / "out" / "test" / "make_panel.js"), str(kept), NONCE],
                              capture_output=True, text=True, check=True).stdout
        path = pathlib.Path(folder.name) / "panel.html"
        path.write_text(made.replace("<title>", EDITOR + "<title>", 1), encoding="utf-8")
        chromium = browser.Browser()
        self.addCleanup(chromium.close)
        self.page = chromium.open(path)

    def posted(self):
        return self.page.run("window.posted")

    def test_places_open_files_by_mouse_and_keyboard(self):
        self.page.wait("document.querySelector('.loupe-place') !== null")
        self.page.click(".loupe-place")
        opened = self.posted()
        self.assertEqual([("main.m", 24)],
                         [(os.path.basename(one["open"]["file"]), one["open"]["line"]) for one in opened])
        self.page.run("document.querySelector('[role=link].loupe-place').focus()")
        self.page.key("Enter")
        self.assertEqual(2, len(self.posted()))

    def test_what_the_page_draws_later_has_links_too(self):
        before = self.page.run("document.querySelectorAll('.loupe-place').length")
        self.page.run("document.querySelector('main').append(Object.assign("
                      "document.createElement('p'), {textContent: 'written at main.m:24'}))")
        self.page.wait(f"document.querySelectorAll('.loupe-place').length === {before + 1}")

    def test_nothing_complains(self):
        self.page.wait("document.querySelector('.loupe-place') !== null")
        self.assertEqual([], self.page.complaints())


if __name__ == "__main__":
    EXTENSION = pathlib.Path(sys.argv.pop())
    NODE = sys.argv.pop()
    unittest.main()
