"""The extension in a workbench: code-server, which is VS Code as a page, in a browser that somebody seems to type into.

usage: test_workbench.py NODE CODE_SERVER PACKAGE LOUPE; skipped with the reason where one of them is not here.
LOUPE_TEST_PICTURES=FOLDER keeps a picture of each step.
"""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
import zipfile
from typing import Any, Dict, Optional

import browser
import session

NODE, SERVER, PACKAGE, LOUPE = "", "", "", ""
browser.PATIENCE = 240.0  # it is large
SOURCE = """@interface Node
@property (strong) id child;
@end
@implementation Node
@end
"""
EDGE = {"from": "0x1000", "to": "0x2000", "kind": "ivar", "path": "_child", "name": "_child", "ownership": "strong"}
FIX = {"do": "make-weak", "subjects": [{"do": "make-weak", "edge": EDGE}], "edge": EDGE, "breaks": "knot", "frees": True, "conditions": []}
ANSWER = {"loupe": 1, "query": "cycles", "status": "ok", "objects": {"0x1000": {"class": "Node", "kind": "object"}},
          "knots": [{"fingerprint": "0123456789abcdef", "rings": [], "fixes": [FIX]}]}
KEYS = {"F1": 112, "F5": 116, "F8": 119, "Enter": 13, "Escape": 27, ".": 190, "s": 83}
CONTROL = 2
# The pages of panels, each in a frame of a frame.
FRAMES = ("[...document.querySelectorAll('iframe.webview')].map((frame) => "
          "frame.contentDocument?.querySelector('iframe')?.contentDocument?.body?.innerText ?? '').join('\\n')")


def adapter() -> Optional[str]:
    debugger = pathlib.Path(session.debugger())
    return shutil.which(debugger.with_name(debugger.name.replace("lldb", "lldb-dap", 1)))


class Workbench(unittest.TestCase):
    """One server and one browser for all tests."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.work = cls.folder / "work"
        user, machine = cls.folder / "data" / "User", cls.folder / "data" / "Machine"
        for path in (user, machine, cls.work / ".vscode", cls.folder / "home"):
            path.mkdir(parents=True)
        cls.write(user / "settings.json", {
            "workbench.startupEditor": "none", "workbench.secondarySideBar.defaultVisibility": "hidden",
            "window.commandCenter": False, "editor.lightbulb.enabled": "on"})
        # What the machine alone may say counts from here, since a page is a window to another machine.
        cls.write(machine / "settings.json", {"loupe.tool": LOUPE, "loupe.commands": str(session.COMMANDS)})
        cls.write(cls.work / "answer.json", ANSWER)
        (cls.work / "Node.m").write_text(SOURCE, encoding="utf-8")
        cls.write(cls.work / ".vscode" / "launch.json", {"version": "0.2.0", "configurations": [{
            "type": "lldb-dap", "request": "launch", "name": "ring", "program": str(session.fixture("self_block")), "stopOnEntry": True,
            "preRunCommands": ["breakpoint set -n loupe_fixture_ready"]}]})
        for package in (PACKAGE, cls.adapter_package()):
            cls.serve("--install-extension", str(package)).communicate(timeout=browser.PATIENCE)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            cls.address = f"127.0.0.1:{free.getsockname()[1]}"
        server = cls.serve("--bind-addr", cls.address, str(cls.work))
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(os.killpg, server.pid, signal.SIGKILL)  # a session of its own: it and its children
        cls.wait_for(lambda: urllib.request.urlopen(f"http://{cls.address}/", timeout=30).status == 200)
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    @staticmethod
    def write(path: pathlib.Path, what: Any) -> None:
        path.write_text(json.dumps(what), encoding="utf-8")

    @classmethod
    def adapter_package(cls) -> pathlib.Path:
        """What tells the workbench of lldb-dap, as the extension of LLVM does."""
        path = cls.folder / "adapter.vsix"
        described = {"name": "adapter", "publisher": "test", "version": "0.0.1", "engines": {"vscode": "^1.101.0"},
                     "contributes": {"breakpoints": [{"language": "objective-c"}],
                                     "debuggers": [{"type": "lldb-dap", "label": "lldb-dap", "program": str(adapter())}]}}
        with zipfile.ZipFile(path, "w") as package:
            package.writestr("extension/package.json", json.dumps(described))
        return path

    @classmethod
    def serve(cls, *words: str) -> "subprocess.Popen[bytes]":
        environment: Dict[str, str] = {**session.environment(), "HOME": str(cls.folder / "home")}
        server = shutil.which(pathlib.Path(session.debugger()).name.replace("lldb", "lldb-server"))
        environment["LLDB_DEBUGSERVER_PATH"] = str(server)
        return subprocess.Popen(
            [NODE, SERVER, "--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust",
             "--user-data-dir", str(cls.folder / "data"), "--extensions-dir", str(cls.folder / "extensions"), *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
            start_new_session=True)

    @staticmethod
    def wait_for(condition: Any) -> None:
        end = time.monotonic() + browser.PATIENCE
        while True:
            try:
                if condition():
                    return
            except OSError:
                pass
            if time.monotonic() > end:
                raise RuntimeError("never")
            time.sleep(0.2)

    # ---- What somebody does ----

    def setUp(self) -> None:
        self.page = self.browser.open_url(f"http://{self.address}/?folder={self.work}", 1300, 850)
        self.page.wait("document.querySelector('.monaco-workbench .statusbar') !== null")
        self.addCleanup(self.page.close)
        self.addCleanup(self.picture, "end")

    def picture(self, name: str) -> None:
        folder = os.environ.get("LOUPE_TEST_PICTURES")
        if folder:
            self.page.screenshot(pathlib.Path(folder, f"{self.id().split('.')[-1]}-{name}.png"))

    def key(self, key: str, modifiers: int = 0) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            self.page.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, modifiers=modifiers,
                           windowsVirtualKeyCode=KEYS[key], nativeVirtualKeyCode=KEYS[key])
        self.page.settle()

    def wait_text(self, selector: str, text: str) -> None:
        self.page.wait(f"[...document.querySelectorAll({json.dumps(selector)})]"
                       f".some((one) => one.textContent.replace(/\\u00a0/g, ' ').includes({json.dumps(text)}))")

    def command(self, title: str) -> None:
        """From the palette, once it offers it: extensions take a while to be there."""
        offered = f"document.querySelector('.quick-input-list .monaco-list-row')?.textContent.includes({json.dumps(title)})"
        end = time.monotonic() + browser.PATIENCE
        while time.monotonic() < end:
            self.key("F1")
            self.page.wait("document.activeElement?.closest('.quick-input-widget') !== null")
            self.page.type(title)
            for _ in range(20):
                if self.page.run(offered):
                    self.key("Enter")
                    return
                time.sleep(0.1)
            self.key("Escape")
        raise RuntimeError(f"the palette does not offer {title}")

    def answer_box(self, text: str, offered: str = "") -> None:
        self.page.wait("document.activeElement?.closest('.quick-input-widget') !== null")
        self.page.run("document.activeElement.select()")
        self.page.type(text)
        if offered:
            self.wait_text(".quick-input-list .monaco-list-row", offered)
            time.sleep(0.5)
        self.key("Enter")

    # ---- What it sees ----

    def test_quick_fixes_of_an_answer(self) -> None:
        self.command("Loupe: Fixes of an Answer")
        self.page.wait("document.querySelector('.quick-input-widget input')?.value.includes('work')")
        self.answer_box(str(self.work / "answer.json"))
        self.wait_text(".notifications-toasts", "Loupe: 1 fix as quick fixes.")
        self.picture("told")
        self.wait_text(".statusbar-item", "1")
        self.command("Go to File")
        self.answer_box("Node.m", offered="Node.m")
        self.wait_text(".tab", "Node.m")
        self.page.wait("document.querySelector('.squiggly-warning') !== null")
        self.page.click(".view-lines .view-line", 1)
        self.command("Quick Fix...")
        self.wait_text(".action-widget", "weak")
        self.picture("offered")
        self.key("Enter")
        self.wait_text(".monaco-workbench", "@property (weak) id child;")

    def test_leaks_and_why_something_is_alive(self) -> None:
        self.command("Debug: Start Debugging")
        self.command("View: Show Run and Debug")
        self.wait_text(".debug-call-stack", "_start")
        self.command("Debug: Continue")
        self.wait_text(".debug-call-stack", "loupe_fixture_ready")
        self.picture("stopped")
        self.command("Loupe: Leaks Now")
        self.page.wait(f"{FRAMES}.includes('1 leak')")
        self.picture("leaks")
        self.page.click(".debug-call-stack .monaco-list-row", 1)
        self.wait_text(".tab", "main.m")
        self.command("Loupe: Retain Cycles")
        self.answer_box("seed")
        self.wait_text(".tab", "Retain cycles: seed")
        self.page.wait(f"{FRAMES}.includes('_handler')")

    def test_models_are_offered_the_server(self) -> None:
        self.wait_server("Stopped")
        self.picture("offered")
        self.answer_box("Loupe", offered="Loupe")
        self.answer_box("Start Server", offered="Start Server")
        self.wait_server("Running")

    def wait_server(self, state: str) -> None:
        """In the list, which shows those of extensions that were there when it was asked for."""
        rows = "[...document.querySelectorAll('.quick-input-list .monaco-list-row')].map((row) => row.textContent).join('\\n')"
        end = time.monotonic() + browser.PATIENCE
        shown = ""
        while time.monotonic() < end:
            self.command("MCP: List Servers")
            time.sleep(5)
            shown = self.page.run(rows)
            if "Loupe" in shown and state in shown:
                return
            self.key("Escape")
        raise RuntimeError(f"the server is not {state}: {shown}")


def missing() -> str:
    if not browser.find():
        return "no Chromium"
    for path, name in ((SERVER, "code-server (-DLOUPE_CODE_SERVER=FILE)"), (PACKAGE, "package of the extension (-DLOUPE_VSCODE=ON)"), (LOUPE, "loupe")):
        if not pathlib.Path(path).is_file():
            return f"no {name}"
    return "" if adapter() else "this lldb has no lldb-dap"


if __name__ == "__main__":
    NODE, SERVER, PACKAGE, LOUPE = sys.argv[1:]
    del sys.argv[1:]
    if missing():
        print(f"skipped: {missing()}")
        sys.exit(77)
    unittest.main(verbosity=2)
