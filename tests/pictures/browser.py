"""A headless Chromium for tests, driven over a pipe by its DevTools protocol. Plain Python.

What a page must never do is counted by itself: scripts that fail, texts in the console, dialogs,
requests that leave the page.
"""
import base64
import contextlib
import fcntl
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
from typing import Any, Dict, List, Optional

Json = Dict[str, Any]
NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 1800.0


def find() -> Optional[str]:
    return next((path for path in map(shutil.which, NAMES) if path), None)


def _high(fd: int) -> int:
    """The same file under a number that nobody wants."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD, 20)
    os.close(fd)
    return moved


GONE = re.compile("navigated or closed|context was destroyed|Cannot find context")


class Navigated(RuntimeError):
    """The page that was asked gave way to another before it answered."""


class Browser:
    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()
        theirs_in, theirs_out, self._out, self._in = map(
            _high, (theirs_in, theirs_out, ours_out, ours_in))

        def give_pipes() -> None:
            os.dup2(theirs_in, 3)
            os.dup2(theirs_out, 4)

        self._process = subprocess.Popen(
            [str(find()), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking",
             "--hide-scrollbars", f"--user-data-dir={self._folder.name}",
             "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=give_pipes, close_fds=False, start_new_session=True)
        os.close(theirs_in)
        os.close(theirs_out)
        self._numbers = itertools.count(1)
        self._rest = b""
        self.events: List[Json] = []

    def close(self) -> None:
        os.close(self._out)
        os.close(self._in)
        try:
            os.killpg(self._process.pid, signal.SIGKILL)  # a session of our own: it and its children
        except ProcessLookupError:
            pass
        self._process.wait(timeout=PATIENCE)
        self._folder.cleanup()

    def send(self, method: str, session: Optional[str] = None, **parameters: Any) -> Json:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            got = self._next()
            if got.get("id") == number:
                if "error" in got:
                    kind = Navigated if GONE.search(got["error"]["message"]) else RuntimeError
                    raise kind(f"{method}: {got['error']}")
                result: Json = got["result"]
                return result
            self.events.append(got)
        raise RuntimeError(f"{method}: no reply")

    def _next(self) -> Json:
        while b"\0" not in self._rest:
            more = os.read(self._in, 1 << 20)
            if not more:
                raise RuntimeError("the browser has gone")
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        got: Json = json.loads(message)
        return got

    def open(self, path: pathlib.Path, width: int = 1000, height: int = 900,
             dark: bool = False) -> "Page":
        return self.open_url(path.as_uri(), width, height, dark)

    def open_url(self, url: str, width: int = 1000, height: int = 900, dark: bool = False) -> "Page":
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.send(f"{domain}.enable")
        page.resize(width, height)
        page.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        page.send("Page.navigate", url=url)
        page.wait("document.readyState === 'complete'")
        page.settle()
        return page


class Page:
    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self._browser, self._session, self._target = browser, session, target

    def send(self, method: str, **parameters: Any) -> Json:
        return self._browser.send(method, self._session, **parameters)

    def close(self) -> None:
        self._browser.send("Target.closeTarget", targetId=self._target)

    def resize(self, width: int, height: int) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 500)

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript."""
        got = self.send("Runtime.evaluate", expression=script, returnByValue=True,
                        awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(got["exceptionDetails"])
        return got["result"].get("value")

    def wait(self, condition: str) -> None:
        end = time.monotonic() + PATIENCE
        while not self._holds(condition):
            if time.monotonic() > end:
                raise RuntimeError(f"never: {condition}")
            time.sleep(0.02)

    def _holds(self, condition: str) -> bool:
        """Of the page that is there; not while another one comes."""
        try:
            return bool(self.run(condition))
        except Navigated:
            return False

    def settle(self) -> None:
        """Until what was changed has been laid out and drawn; a page that is left is not."""
        with contextlib.suppress(Navigated):
            self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def click(self, selector: str, number: int = 0, corner: bool = False) -> None:
        """With the mouse, in the middle of what the selector finds or in its upper left corner."""
        place = self.run(f"""(() => {{
            const element = document.querySelectorAll({json.dumps(selector)})[{number}];
            element.scrollIntoView({{block: 'center'}});
            const box = element.getBoundingClientRect();
            return {json.dumps(corner)} ? [box.left + 6, box.top + 6]
                : [box.left + box.width / 2, box.top + box.height / 2]; }})()""")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1],
                      button="none" if kind == "mouseMoved" else "left", clickCount=1)
        self.settle()

    def key(self, key: str, times: int = 1) -> None:
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowLeft": 37, "ArrowUp": 38,
                 "ArrowRight": 39, "ArrowDown": 40}
        text = {"Enter": "\r", " ": " "}.get(key, "")
        for _ in range(times):
            for kind in ("keyDown", "keyUp"):
                self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                          windowsVirtualKeyCode=codes[key], text=text if kind == "keyDown" else "")
        self.settle()

    def type(self, text: str) -> None:
        self.send("Input.insertText", text=text)
        self.settle()

    def screenshot(self, path: pathlib.Path, selector: Optional[str] = None,
                   whole: bool = False) -> None:
        options: Json = {"format": "png"}
        if selector or whole:
            box = self.run(f"""(() => {{ const box = document.querySelector({json.dumps(selector or 'html')})
                .getBoundingClientRect(); return [box.left + scrollX, box.top + scrollY, box.width, box.height]; }})()""")
            options["clip"] = dict(zip(("x", "y", "width", "height"), box), scale=1)
            options["captureBeyondViewport"] = True
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", **options)["data"]))

    def complaints(self) -> List[str]:
        """What the page did that no page of ours may do."""
        found = []
        for event in self._browser.events:
            if event.get("sessionId") != self._session:
                continue
            method, told = event["method"], event["params"]
            if method in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled",
                          "Page.javascriptDialogOpening"):
                found.append(f"{method}: {json.dumps(told)[:600]}")
            if method == "Network.requestWillBeSent" and told["request"]["url"] != told["documentURL"]:
                found.append(f"a request for {told['request']['url'][:200]}")
        return found
