"""A heap in a browser: who may ask, what is given to whom, what is refused, and when it ends; then the page
itself in Chromium, by clicks.

usage: test_http.py LOUPE
"""
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import typing
import unittest

import browser
from drawn_dump import OBJECT, Dump, with_java_basics

LOUPE = ""
FOLDER = pathlib.Path()
SESSIONS = 50
Json = typing.Dict[str, typing.Any]
HOSTILE = "<img src=x onerror=alert(1)>"


def registry() -> bytes:
    """A static field that keeps sessions in an array, and a string that would be markup."""
    dump = Dump()
    basics = with_java_basics(dump)
    session = dump.add_class("demo/Session", [("name", OBJECT)], superclass=basics["Object"], size=24)
    home = dump.add_class("demo/Registry", statics=[("sessions", OBJECT, 0x2000)], superclass=basics["Object"])
    addresses = [0x10000 + 32 * i for i in range(SESSIONS)]
    for address in addresses:
        dump.instance(session, address, [0x1200])
    dump.array(basics["Object[]"], 0x2000, addresses)
    dump.instance(basics["String"], 0x1200, [0x1240, 0])
    dump.primitives(8, 0x1240, list(HOSTILE.encode()))
    dump.root(home.id, 0x05)
    return dump.bytes()


class Server:
    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen([LOUPE, "serve", "--http", str(FOLDER / "heap.hprof"), *words],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.url = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#([0-9a-f]{32})", self.url)
        assert found, (self.url, self.process.communicate("")[1])
        self.port, self.token = int(found[1]), found[2]
        self.host = f"127.0.0.1:{self.port}"

    def close(self) -> None:
        self.process.communicate(timeout=600)  # its input ends

    def ask(self, method: str, path: str, body: typing.Optional[str] = None,
            **fields: str) -> typing.Tuple[int, typing.Dict[str, str], str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        with contextlib.closing(connection):
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in fields.items()})
            reply = connection.getresponse()
            return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read().decode()

    def raw(self, request: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), timeout=600) as client:
            client.sendall(request)
            got = b""
            while True:
                try:
                    part = client.recv(65536)
                except ConnectionResetError:  # it did not read all of what it refused
                    return got
                if not part:
                    return got
                got += part

    def session(self) -> typing.Tuple[str, str]:
        status, fields, body = self.ask("POST", "/session", self.token)
        assert status == 200, body
        return json.loads(body)["at"], fields["set-cookie"].partition(";")[0]


class WithServer(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.close)

    def question(self, at: str, cookie: str, **question: typing.Any) -> Json:
        status, _, body = self.server.ask("POST", f"{at}/ask", json.dumps(question), Cookie=cookie)
        self.assertEqual(200, status, body)
        answer: Json = json.loads(body)
        return answer


class Access(WithServer):
    def test_the_page_alone_is_for_everybody(self) -> None:
        for path, kind in (("/", "text/html"), ("/shell.js", "text/javascript"), ("/shell.css", "text/css"), ("/icon.svg", "image/svg+xml")):
            status, fields, body = self.server.ask("GET", path)
            self.assertEqual((200, f"{kind}; charset=utf-8"), (status, fields["content-type"]))
            self.assertNotIn("Session", body)
            self.assertNotIn(self.server.token, body)
        self.assertEqual(404, self.server.ask("GET", "/heap.hprof")[0])
        self.assertEqual(404, self.server.ask("GET", "/../../etc/passwd")[0])

    def test_every_reply_says_what_a_browser_must_not(self) -> None:
        at, cookie = self.server.session()
        replies = [self.server.ask("GET", "/"), self.server.ask("GET", "/none"), self.server.ask("POST", "/session", "x"),
                   self.server.ask("POST", f"{at}/ask", '{"verb":"heap"}', Cookie=cookie)]
        for status, fields, _ in replies:
            self.assertTrue(fields["content-security-policy"].startswith("default-src 'self';"), status)
            self.assertEqual(("no-store", "no-referrer", "nosniff"),
                             (fields["cache-control"], fields["referrer-policy"], fields["x-content-type-options"]))
            self.assertFalse([name for name in fields if name.startswith("access-control")])

    def test_the_token_is_exchanged_for_a_cookie(self) -> None:
        _, fields, body = self.server.ask("POST", "/session", self.server.token)
        at = json.loads(body)["at"]
        self.assertRegex(fields["set-cookie"], rf"^loupe=[0-9a-f]{{32}}; Path={at}; HttpOnly; SameSite=Strict$")
        self.assertNotIn(self.server.token, fields["set-cookie"] + at)
        cookie = fields["set-cookie"].partition(";")[0]
        self.assertIn("demo.Session", self.question(at, cookie, verb="heap")["output"])
        self.assertIn("demo.Session", self.question(at, f"a=b; {cookie}; c=d", verb="heap")["output"])

    def test_without_the_cookie_nothing_is_answered(self) -> None:
        at, cookie = self.server.session()
        for fields in ({}, {"Cookie": "loupe=" + "0" * 32}, {"Cookie": cookie[:-1]}, {"Cookie": f"x{cookie}"},
                       {"Cookie": cookie + "0"}, {"Cookie": f"loupe={self.server.token}"}):
            self.assertEqual(403, self.server.ask("POST", f"{at}/ask", '{"verb":"heap"}', **fields)[0], fields)
        self.assertEqual(403, self.server.ask("POST", "/ask", '{"verb":"heap"}', Cookie=cookie)[0])
        self.assertEqual(403, self.server.ask("POST", f"/{'0' * 32}/ask", '{"verb":"heap"}', Cookie=cookie)[0])

    def test_a_token_cannot_be_guessed_for_long(self) -> None:
        for guess in ("", "0" * 32, self.server.token[:-1], self.server.token + "0"):
            self.assertEqual(403, self.server.ask("POST", "/session", guess)[0])
        self.assertEqual(200, self.server.ask("POST", "/session", self.server.token)[0])
        for _ in range(40):
            self.server.ask("POST", "/session", "f" * 32)
        self.assertEqual(403, self.server.ask("POST", "/session", self.server.token)[0])

    def test_another_name_is_refused(self) -> None:
        """As of a site whose name leads here (DNS rebinding)."""
        at, cookie = self.server.session()
        port = self.server.port
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", f"127.0.0.1:{port}.evil.example"):
            self.assertEqual(403, self.server.ask("GET", "/", Host=host)[0], host)
            self.assertEqual(403, self.server.ask("POST", f"{at}/ask", '{"verb":"heap"}', Host=host, Cookie=cookie)[0], host)
        self.assertEqual(200, self.server.ask("GET", "/", Host=f"localhost:{port}")[0])

    def test_another_site_is_refused(self) -> None:
        at, cookie = self.server.session()
        asked = ("POST", f"{at}/ask", '{"verb":"heap"}')
        self.assertEqual(200, self.server.ask(*asked, Cookie=cookie, Origin=f"http://{self.server.host}", Sec_Fetch_Site="same-origin")[0])
        for origin in ("http://evil.example", "null", f"https://{self.server.host}", f"http://127.0.0.1:{self.server.port + 1}"):
            self.assertEqual(403, self.server.ask(*asked, Cookie=cookie, Origin=origin)[0], origin)
        for site in ("cross-site", "same-site", "none"):
            self.assertEqual(403, self.server.ask(*asked, Cookie=cookie, Sec_Fetch_Site=site)[0], site)

    def test_it_listens_at_the_loopback_alone(self) -> None:
        table = pathlib.Path("/proc/net/tcp")
        if not table.exists():
            self.skipTest("this system does not tell")
        here = [row.split()[1] for row in table.read_text().splitlines()[1:]
                if row.split()[1].endswith(f":{self.server.port:04X}") and row.split()[3] == "0A"]
        self.assertEqual([f"0100007F:{self.server.port:04X}"], here)


class Requests(WithServer):
    def status_of(self, request: bytes) -> bytes:
        return self.server.raw(request).partition(b"\r\n")[0]

    def test_what_two_readers_would_read_in_two_ways(self) -> None:
        host = f"Host: {self.server.host}\r\n".encode()
        for wrong in (b"GET / HTTP/1.1\r\n\r\n",
                      b"GET / HTTP/1.1\r\n" + host + host + b"\r\n",
                      b"GET / HTTP/1.1\n" + host + b"\r\n",
                      b"GET / HTTP/1.0\r\n" + host + b"\r\n",
                      b"GET  / HTTP/1.1\r\n" + host + b"\r\n",
                      b"GET http://x/ HTTP/1.1\r\n" + host + b"\r\n",
                      b"GET / HTTP/1.1\r\n" + host + b"A : b\r\n\r\n",
                      b"GET / HTTP/1.1\r\n" + host + b" folded\r\n\r\n",
                      b"GET / HTTP/1.1\r\n" + host + b"X: a\0b\r\n\r\n",
                      b"POST / HTTP/1.1\r\n" + host + b"Content-Length: 1\r\nContent-Length: 1\r\n\r\nx",
                      b"POST / HTTP/1.1\r\n" + host + b"Content-Length: +1\r\n\r\nx",
                      b"POST / HTTP/1.1\r\n" + host + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
                      b"GET / HTTP/1.1\r\n" + host + b"\r\nGET / HTTP/1.1\r\n" + host + b"\r\n",
                      b"\x16\x03\x01\x02\0\x01\0\x01\xfc\r\n\r\n"):
            self.assertEqual(b"HTTP/1.1 400 Bad Request", self.status_of(wrong), wrong)

    def test_too_much(self) -> None:
        host = f"Host: {self.server.host}\r\n".encode()
        self.assertEqual(b"HTTP/1.1 413 Content Too Large",
                         self.status_of(b"POST /session HTTP/1.1\r\n" + host + b"Content-Length: 99999999999999999999\r\n\r\n"))
        long = self.status_of(b"GET / HTTP/1.1\r\n" + host + b"X: " + b"a" * 9000)
        self.assertIn(long, (b"HTTP/1.1 413 Content Too Large", b""))  # or the reply is lost with what was sent on

    def test_other_methods(self) -> None:
        for method in ("PUT", "DELETE", "OPTIONS", "HEAD", "TRACE"):
            self.assertEqual(405, self.server.ask(method, "/")[0], method)

    def test_a_slow_client_holds_nobody(self) -> None:
        with contextlib.ExitStack() as slow:
            for _ in range(10):
                client = slow.enter_context(socket.create_connection(("127.0.0.1", self.server.port)))
                client.sendall(b"GET / HT")
            self.assertEqual(200, self.server.ask("GET", "/")[0])


class Questions(WithServer):
    def test_only_what_reads_is_asked(self) -> None:
        at, cookie = self.server.session()
        for verb in ("snapshot", "fix", "serve", "draw", "ignore", "report", "explain", "", "heap --json"):
            status, _, body = self.server.ask("POST", f"{at}/ask", json.dumps({"verb": verb}), Cookie=cookie)
            self.assertEqual((400, "no such verb"), (status, body), verb)
        for body in ("", "[]", "heap", '{"verb":', '{"verb":"heap","verb'):
            self.assertEqual(400, self.server.ask("POST", f"{at}/ask", body, Cookie=cookie)[0])

    def test_the_page_of_the_heap_is_written_to_the_answer_alone(self) -> None:
        at, cookie = self.server.session()
        answer = self.question(at, cookie, verb="heap", page=True)
        self.assertEqual((0, None), (answer["status"], answer["messages"]))
        page = FOLDER / "page.html"
        for words in (["snapshot", FOLDER / "heap.hprof", page], ["heap", FOLDER / "heap.hprof", "--html", page]):
            subprocess.run([LOUPE, *words], capture_output=True, check=True)
            self.assertEqual(page.read_text(), answer["output"])
            page.unlink()
        self.assertNotIn("<!DOCTYPE", self.question(at, cookie, verb="suspects", page=True)["output"])

    def test_an_operand_is_no_option_and_no_write(self) -> None:
        at, cookie = self.server.session()
        before = sorted(FOLDER.iterdir())
        for verb, operand in (("heap", "--write-baseline"), ("heap", f"-o{FOLDER / 'x'}"),
                              ("sql", f"attach '{FOLDER / 'x.db'}' as x"), ("sql", "create table x (y)"),
                              ("sql", "select writefile('x', 'y')"), ("sql", "pragma journal_mode = wal")):
            self.assertEqual(2, self.question(at, cookie, verb=verb, operand=operand)["status"], operand)
        self.assertFalse(self.question(at, cookie, verb="find", operand="--baseline=x")["messages"])  # a class
        self.assertEqual(before, sorted(FOLDER.iterdir()))

    def test_answers_are_those_of_the_tool(self) -> None:
        at, cookie = self.server.session()
        dump = str(FOLDER / "heap.hprof")
        for words in (["suspects"], ["path", "0x10000"], ["show", "0x10000"], ["sql", "select count(*) from objects"]):
            done = subprocess.run([LOUPE, words[0], dump, *words[1:]], stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, check=False)
            operand = {"operand": words[1]} if len(words) > 1 else {}
            answer = self.question(at, cookie, verb=words[0], **operand)
            self.assertEqual((done.stdout, done.returncode), (answer["output"], answer["status"]), words)


class End(unittest.TestCase):
    def test_it_ends_with_its_input(self) -> None:
        server = Server()
        assert server.process.stdin
        server.process.communicate(timeout=600)
        self.assertEqual(0, server.process.returncode)
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", server.port))

    def test_it_ends_with_its_terminal(self) -> None:
        ours, theirs = os.openpty()
        process = subprocess.Popen([LOUPE, "serve", "--http", str(FOLDER / "heap.hprof")], stdin=theirs,
                                   stdout=subprocess.PIPE, text=True)
        assert process.stdout
        self.assertIn("http://127.0.0.1:", process.stdout.readline())
        os.close(theirs)
        os.close(ours)
        self.assertIn(process.wait(timeout=600), (0, -signal.SIGHUP))
        process.stdout.close()

    def test_a_port_that_is_taken_and_a_file_that_is_none(self) -> None:
        server = Server()
        taken = subprocess.run([LOUPE, "serve", "--http", str(FOLDER / "heap.hprof"), "--port", str(server.port)],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual((2, ""), (taken.returncode, taken.stdout))
        self.assertRegex(taken.stderr, rf"^loupe: serve: cannot listen at 127\.0\.0\.1 port {server.port}: .*\n$")
        server.close()
        none = subprocess.run([LOUPE, "serve", "--http", str(FOLDER / "none")], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        self.assertEqual((2, ""), (none.returncode, none.stdout))
        self.assertEqual(f"loupe: serve: {FOLDER / 'none'}: No such file or directory\n", none.stderr)
        alone = subprocess.run([LOUPE, "serve", "--port", "99"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               check=False)
        self.assertEqual((2, "loupe: serve: --port is for --http FILE\n"), (alone.returncode, alone.stderr))


@unittest.skipUnless(browser.find(), "there is no Chromium (Debian: apt-get install chromium)")
class InABrowser(WithServer):
    def setUp(self) -> None:
        super().setUp()
        self.browser = browser.Browser()
        self.addCleanup(self.browser.close)
        self.page = self.browser.open_url(self.server.url)
        self.wait_for("demo.Session")

    def text(self) -> str:
        return str(self.page.run("document.getElementById('answer').innerText"))

    def wait_for(self, text: str) -> None:
        self.page.wait(f"document.getElementById('answer')?.innerText.includes({json.dumps(text)})")

    def click(self, text: str) -> None:
        """The first thing to click on that says so."""
        number = self.page.run(f"[...document.querySelectorAll('button')].findIndex((one) => one.textContent === {json.dumps(text)})")
        self.assertGreaterEqual(number, 0, text)
        self.page.click("button", number)

    def test_who_holds_the_sessions_in_two_clicks(self) -> None:
        self.assertIn("Registry.sessions keeps", self.text())  # before any
        self.click("Classes")
        self.wait_for("java.lang.String")
        self.click("demo.Session")
        self.wait_for("0x10000")
        self.assertIn(f"{SESSIONS}", self.text())

    def test_an_object_shows_what_holds_it_and_what_it_has(self) -> None:
        self.click("0x2000")
        self.wait_for("What it keeps")
        self.assertIn("Registry.sessions", self.text())
        self.page.run("history.back()")
        self.wait_for("keeps")

    def test_search_and_sql(self) -> None:
        self.page.click("#text")
        self.page.type("0x10000")
        self.page.key("Enter")
        self.wait_for(HOSTILE)
        self.click("SQL")
        self.page.wait("!document.getElementById('query').hidden")
        self.page.run("document.getElementById('sql').value = 'select count(*) as many from objects where class like \\'%Session\\''")
        self.page.click("#query button")
        self.wait_for("many")
        self.assertIn(str(SESSIONS), self.text())

    def test_the_map_and_from_it_to_an_object(self) -> None:
        self.page.click("a[href='/map']")
        self.page.wait("!!document.querySelector('.icicle [data-tile]')")
        self.assertIn("By owner", self.page.run("document.body.innerText"))
        self.page.click(".icicle [data-tile]", number=2)
        self.page.wait("!!document.querySelector('a[href^=\"/#0x\"]')")
        self.assertEqual("Inspect 0x2000", self.page.run("document.querySelector('a[href^=\"/#0x\"]').textContent"))
        self.page.click("a[href^='/#0x']")
        self.page.wait("document.getElementById('answer')?.innerText.includes('What it keeps')")
        self.assertIn("Registry.sessions", self.text())
        self.assertEqual(f"http://{self.server.host}/", self.page.run("location.href"))
        self.assertEqual([], [told for told in self.page.complaints() if "a request for" not in told])

    def test_texts_of_the_program_are_texts(self) -> None:
        self.page.click("#text")
        self.page.type("0x1200")
        self.page.key("Enter")
        self.wait_for(HOSTILE)
        self.assertEqual(0, self.page.run("document.images.length"))
        self.assertEqual([], [told for told in self.page.complaints() if "a request for" not in told])

    def test_the_token_leaves_the_address_and_the_cookie_is_not_read(self) -> None:
        self.assertEqual(f"http://{self.server.host}/", self.page.run("location.href"))
        self.assertEqual("", self.page.run("document.cookie"))
        self.page.run("window.was_here = true; location.reload()")
        self.page.wait("!window.was_here && document.readyState === 'complete'")
        self.wait_for("Registry.sessions keeps")

    def test_nothing_is_asked_of_others(self) -> None:
        asked = [told for told in self.page.complaints() if "a request for" in told]
        self.assertTrue(asked)
        self.assertEqual([], [told for told in asked if f"http://{self.server.host}/" not in told])
        self.assertEqual("blocked", self.page.run("fetch('http://127.0.0.1:9/').catch(() => 'blocked')"))


if __name__ == "__main__":
    LOUPE = sys.argv[1]
    with tempfile.TemporaryDirectory() as directory:
        FOLDER = pathlib.Path(directory)
        (FOLDER / "heap.hprof").write_bytes(registry())
        unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
