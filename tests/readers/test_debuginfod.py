"""`--debuginfod`: by the server of Debian on loopback, and by servers that send anything else.

usage: test_debuginfod.py LOUPE GDB CC OBJCOPY DEBUGINFOD; the last may be empty
"""
import http.server
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from typing import Any, Dict, List, Optional, Tuple

LOUPE, GDB, CC, OBJCOPY, DEBUGINFOD = sys.argv[1:]
SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static __attribute__((noinline)) void wait_for_the_dusk(char *kept) {
    puts("ready");
    fflush(stdout);
    pause();
    kept[0] = 1;
}
int main(void) {
    char *kept = malloc(1000);
    wait_for_the_dusk(kept);
    return kept[0];
}
"""
NAMED = "at wait_for_the_dusk (dusk.c:8)"
DIGITS = "0123456789abcdef"


class Program:
    """A program without symbols, what was split from it, and its core; its file is not where the core says."""

    def __init__(self, folder: pathlib.Path, build_id: str = "sha1") -> None:
        self.folder = folder
        source, program = folder / "dusk.c", folder / "dusk"
        source.write_text(SOURCE)
        subprocess.run([CC, "-g", "-O0", source, "-o", program, f"-Wl,--build-id={build_id}"], check=True)
        kept = folder / "kept"
        kept.mkdir()
        self.debug, self.stripped, self.core = kept / "dusk.debug", kept / "dusk", folder / "core"
        subprocess.run([OBJCOPY, "--only-keep-debug", program, self.debug], check=True)
        subprocess.run([OBJCOPY, "--strip-all", program], check=True)
        with subprocess.Popen([program], stdout=subprocess.PIPE, env={}) as running:
            assert running.stdout
            running.stdout.readline()
            subprocess.run([GDB, "-nx", "-batch", "-p", str(running.pid), "-ex", f"gcore {self.core}"],
                           capture_output=True, check=False)
            running.kill()
        notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
        self.id = re.findall(r"Build ID: ([0-9a-f]+)", notes)[0]
        program.rename(self.stripped)
        self.stripped.chmod(0o644)  # what is fetched is never run

    def files(self) -> Dict[str, bytes]:
        return {f"/buildid/{self.id}/debuginfo": self.debug.read_bytes(),
                f"/buildid/{self.id}/executable": self.stripped.read_bytes()}


class Server:
    """Counts what it is asked for, and sends what it was told to."""

    def __init__(self, answer: Any) -> None:
        self.asked: List[str] = []
        asked = self.asked

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                try:
                    answer(self)
                except ConnectionError:
                    pass

            def log_message(self, *words: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.block_on_close = False
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def send(handler: Any, content: bytes, status: int = 200, length: Optional[int] = None) -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(content) if length is None else length))
    handler.end_headers()
    handler.wfile.write(content)


def sends(files: Dict[str, bytes]) -> Any:
    return lambda handler: send(handler, files.get(handler.path, b""), 200 if handler.path in files else 404)


class Case(unittest.TestCase):
    folder: pathlib.Path
    program: Program

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.program = Program(cls.folder)

    def setUp(self) -> None:
        cache = tempfile.TemporaryDirectory()
        self.addCleanup(cache.cleanup)
        self.cache = pathlib.Path(cache.name, "below", "cache")
        self.kept = self.cache / "loupe" / "debuginfod"

    def serve(self, answer: Any) -> Server:
        server = Server(answer)
        self.addCleanup(server.close)
        return server

    def loupe(self, urls: Optional[str], *words: str, core: Optional[pathlib.Path] = None, verb: str = "threads",
              **more: str) -> "subprocess.CompletedProcess[str]":
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.cache), "HOME": str(self.folder), **more}
        environment.pop("DEBUGINFOD_URLS", None)
        if urls is not None:
            environment["DEBUGINFOD_URLS"] = urls
        return subprocess.run([LOUPE, verb, str(core or self.program.core), *words], capture_output=True,
                              text=True, timeout=600, env=environment, check=False)

    def names(self) -> List[str]:
        return sorted(path.name for path in self.kept.iterdir()) if self.kept.exists() else []


class Fetched(Case):
    def test_nothing_is_asked_unless_it_is_asked_for(self) -> None:
        server = self.serve(sends(self.program.files()))
        done = self.loupe(server.address)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertNotIn("wait_for_the_dusk", done.stdout)
        self.assertEqual(([], False), (server.asked, self.cache.exists()))

    def test_a_program_and_what_was_split_from_it(self) -> None:
        server = self.serve(sends(self.program.files()))
        done = self.loupe(server.address, "--debuginfod")
        self.assertIn(NAMED, done.stdout)
        self.assertIn("loupe: debuginfod: 2 files fetched, ", done.stderr)
        self.assertNotIn("the files of", done.stderr)
        for asked in server.asked:  # nothing but ids, in digits
            self.assertRegex(asked, r"^/buildid/[0-9a-f]{4,64}/(debuginfo|executable)$")
        self.assertEqual(len(set(server.asked)), len(server.asked))
        self.assertEqual([f"{self.program.id}.{kind}" for kind in ("debuginfo", "executable")], self.names())
        for folder in (self.kept, self.kept.parent, self.cache):
            self.assertEqual(0o700, folder.stat().st_mode & 0o777)
        for name in self.names():
            self.assertEqual(0o600, (self.kept / name).stat().st_mode & 0o777)
        # The next time they are there.
        server.asked.clear()
        again = self.loupe(server.address, "--debuginfod")
        self.assertEqual(done.stdout, again.stdout)
        self.assertIn("loupe: debuginfod: 2 files from the cache", again.stderr)
        self.assertFalse([asked for asked in server.asked if self.program.id in asked])

    def test_what_the_cache_has_is_looked_at_too(self) -> None:
        server = self.serve(sends(self.program.files()))
        self.loupe(server.address, "--debuginfod")
        for name in self.names():
            (self.kept / name).write_bytes(b"\x7fELF" + bytes(3000))
        self.assertIn(NAMED, self.loupe(server.address, "--debuginfod").stdout)

    def test_a_core_is_asked_about_an_object_too(self) -> None:
        server = self.serve(sends(self.program.files()))
        found = re.search(r"0x[0-9a-f]+", self.loupe(None).stdout)
        assert found
        done = subprocess.run([LOUPE, "strong-refs", str(self.program.core), found[0], "--incoming", "--debuginfod"],
                              capture_output=True, text=True, check=False, env={
                                  **os.environ, "XDG_CACHE_HOME": str(self.cache), "DEBUGINFOD_URLS": server.address})
        self.assertIn("debuginfod: ", done.stderr)
        self.assertIn(f"/buildid/{self.program.id}/executable", server.asked)

    def test_rows_about_many_cores_are_made_with_them(self) -> None:
        server = self.serve(sends(self.program.files()))
        fetched = []
        for words in ((), ("--debuginfod",)):
            done = self.loupe(server.address, *words, verb="report")
            self.assertEqual(0, done.returncode, done.stderr)
            fetched.append(len(self.names()))
        self.assertEqual([0, 2], fetched)

    def test_one_server_after_the_other(self) -> None:
        nothing = self.serve(sends({}))
        busy = self.serve(lambda handler: send(handler, b"come back", 503))
        server = self.serve(sends(self.program.files()))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            closed = f"http://localhost:{free.getsockname()[1]}"
        urls = f"  {nothing.address}/  {busy.address} {closed}\t{server.address}"
        done = self.loupe(urls, "--debuginfod")
        self.assertIn(NAMED, done.stdout)
        self.assertEqual(1, done.stderr.count(f"{busy.address} does not answer (HTTP status 503), and is not asked again"))
        self.assertEqual(1, done.stderr.count(f"{closed} does not answer, and is not asked again"))
        self.assertEqual(1, len(busy.asked))

    def test_a_proxy_is_not_asked_about_this_machine(self) -> None:
        server, proxy = self.serve(sends(self.program.files())), self.serve(sends({}))
        done = self.loupe(server.address, "--debuginfod", http_proxy=proxy.address, ALL_PROXY=proxy.address)
        self.assertIn(NAMED, done.stdout)
        self.assertEqual([], proxy.asked)

    def test_a_configuration_of_curl_does_not_count(self) -> None:
        server = self.serve(sends(self.program.files()))
        (self.folder / ".curlrc").write_text("output = /dev/null\nproxy = http://127.0.0.1:1\n")
        self.addCleanup((self.folder / ".curlrc").unlink)
        self.assertIn(NAMED, self.loupe(server.address, "--debuginfod").stdout)

    def test_help_says_what_leaves_the_machine(self) -> None:
        shown = " ".join(subprocess.run([LOUPE, "threads", "--help"], capture_output=True, text=True, check=True).stdout.split())
        self.assertRegex(shown, "--debuginfod .*the build ids of its programs, private ones too, leave this machine")


class Refused(Case):
    def test_addresses(self) -> None:
        for urls, why in ((None, "it names no server"), ("  \t", "it names no server"),
                          ("http://debuginfod.example", "it has to be https, since it is another machine"),
                          ("http://127.0.0.1.example", "it has to be https"), ("http://localhost.example", "it has to be https"),
                          ("http://127.0.0.256:1", "it has to be https"), ("http://127.1", "it has to be https"),
                          ("http://127.0.0.1.", "it has to be https"), ("http://[::2]:80", "it has to be https"),
                          ("http://128.0.0.1", "it has to be https"), ("http://0127.0.0.1", "it has to be https"),
                          ("http://localhost@evil.example", "characters"), ("https://a@b.example", "characters"),
                          ("https://a.example/?q", "characters"), ("https://a.example/#x", "characters"),
                          ("https://a.example/\x1b[2J", "characters"), ("https://a.example/\\", "characters"),
                          ("https://", "it names no machine"), ("https:///x", "it names no machine"),
                          ("https://[::1", "it names no machine"), ("https://a.example:123456", "it names no machine"),
                          ("https://a.example:x", "it names no machine"), ("file:///etc", "it has to be https"),
                          ("ftp://a.example", "it has to be https"), ("ima:enforcing", "it has to be https"),
                          ("-o/tmp/x", "it has to be https"), ("https://a.example/" + "x" * 600, "it is too long"),
                          ("https://a.example " * 17, "it names too many servers"),
                          ("https://a.example http://b.example", "http://b.example: it has to be https")):
            done = self.loupe(urls, "--debuginfod")
            self.assertEqual(2, done.returncode, urls)
            self.assertIn("--debuginfod: DEBUGINFOD_URLS: ", done.stderr)
            self.assertIn(why, done.stderr, urls)
            self.assertTrue(done.stderr.strip().isprintable(), done.stderr)
            self.assertFalse(self.cache.exists())

    def test_a_cache_that_others_can_read(self) -> None:
        server = self.serve(sends(self.program.files()))
        self.kept.mkdir(parents=True)
        self.kept.chmod(0o755)
        done = self.loupe(server.address, "--debuginfod")
        self.assertEqual((2, []), (done.returncode, server.asked))
        self.assertIn("the folder is not its owner's alone (mode 0700)", done.stderr)
        self.kept.rmdir()
        elsewhere = self.cache / "elsewhere"
        elsewhere.mkdir(mode=0o700)
        self.kept.symlink_to(elsewhere)
        self.assertIn("the folder cannot be made", self.loupe(server.address, "--debuginfod").stderr)

    def test_a_process_does_not_stand_still_for_a_network(self) -> None:
        server = self.serve(sends(self.program.files()))
        with subprocess.Popen(["sleep", "60"]) as running:
            try:
                done = self.loupe(server.address, "--debuginfod", core=pathlib.Path(str(running.pid)))
            finally:
                running.kill()
        self.assertEqual((2, []), (done.returncode, server.asked))
        self.assertIn("--debuginfod is for cores alone", done.stderr)

    def test_without_curl_that_is_said_once(self) -> None:
        server = self.serve(sends(self.program.files()))
        done = self.loupe(server.address, "--debuginfod", PATH="/nonexistent")
        self.assertEqual(1, done.stderr.count("curl is not on this machine, which fetches the files"))
        self.assertEqual((0, []), (done.returncode, self.names()))

    def test_ids_longer_than_64_digits_are_nobodys(self) -> None:
        for digits, is_asked in ((64, True), (72, False)):
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            program = Program(pathlib.Path(folder.name), "0x" + (DIGITS * 5)[:digits])
            server = self.serve(sends(program.files()))
            done = self.loupe(server.address, "--debuginfod", core=program.core)
            self.assertEqual(is_asked, NAMED in done.stdout)
            self.assertEqual(is_asked, any(program.id[:16] in asked for asked in server.asked))


class Hostile(Case):
    """What a server may send instead."""

    def names_nothing(self, answer: Any, *words: str) -> Tuple[str, Server]:
        server = self.serve(answer)
        began = time.monotonic()
        done = self.loupe(server.address, "--debuginfod", *words)
        self.assertNotIn("wait_for_the_dusk", done.stdout)
        self.assertEqual([], self.names())
        self.assertLess(time.monotonic() - began, 300)
        return done.stderr, server

    def test_another_build(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        other = Program(pathlib.Path(folder.name), "0x" + "ab" * 20)
        shown, _ = self.names_nothing(lambda handler: send(handler, other.debug.read_bytes()))
        self.assertRegex(shown, r"debuginfod: \d+ files of another build than asked for, and left out")

    def test_a_file_without_a_build(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        without = pathlib.Path(folder.name, "without")
        subprocess.run([OBJCOPY, "--remove-section=.note.gnu.build-id", self.program.debug, without], check=True)
        shown, _ = self.names_nothing(lambda handler: send(handler, without.read_bytes()))
        self.assertIn("of another build than asked for", shown)

    def test_bytes_that_are_no_program(self) -> None:
        for content in (b"", b"\x7fELF", os.urandom(5000), b"<html>not found</html>"):
            self.names_nothing(lambda handler, content=content: send(handler, content))

    def test_a_file_that_is_too_large(self) -> None:
        shown, _ = self.names_nothing(lambda handler: send(handler, b"\x7fELF", length=1 << 40))
        self.assertIn("too large, and left out", shown)

    def test_an_answer_that_breaks_off(self) -> None:
        content = self.program.debug.read_bytes()
        shown, _ = self.names_nothing(lambda handler: send(handler, content[:1000], length=len(content)))
        self.assertIn("does not answer", shown)

    def test_a_server_that_never_ends(self) -> None:
        def drip(handler: Any) -> None:
            handler.send_response(200)
            handler.end_headers()
            for _ in range(600):
                handler.wfile.write(b"x")
                time.sleep(0.1)
        shown, _ = self.names_nothing(drip, "--timeout", "2")
        self.assertRegex(shown, "took too long, and is not asked again|--timeout")

    def test_this_machine_leads_nowhere_else(self) -> None:
        other = self.serve(sends(self.program.files()))

        def lead(handler: Any) -> None:
            handler.send_response(302)
            handler.send_header("Location", other.address + handler.path)
            handler.end_headers()
        self.names_nothing(lead)
        self.assertEqual([], other.asked)

    def test_a_right_id_in_a_damaged_file(self) -> None:
        """It is kept, since it says what it is, and read like all that is hostile."""
        files = self.program.files()
        for step in range(16):
            damaged = {}
            for path, content in files.items():
                made = bytearray(content)
                for at in range(0x400 + step * 97, len(made), 311):
                    made[at] ^= 0xff
                damaged[path] = bytes(made)
            server = self.serve(sends(damaged))
            done = self.loupe(server.address, "--debuginfod")
            self.assertIn(done.returncode, (0, 2), done.stderr)
            shutil.rmtree(self.kept)


@unittest.skipUnless(DEBUGINFOD, "there is no debuginfod")
class Debians(Case):
    """The server that Debian has."""

    def test_it(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with open(os.devnull, "wb") as nothing:
            server = subprocess.Popen([DEBUGINFOD, "-d", ":memory:", "-p", str(port), "-F", str(self.folder / "kept")],
                                      stdout=nothing, stderr=nothing, env={"PATH": os.environ["PATH"]})
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        address = f"http://localhost:{port}"
        for _ in range(200):
            time.sleep(0.1)
            there = subprocess.run(["curl", "-s", "-f", "-o", os.devnull, "--noproxy", "*",
                                    f"{address}/buildid/{self.program.id}/debuginfo"], check=False)
            if there.returncode == 0:
                break
        done = self.loupe(address, "--debuginfod")
        self.assertIn(NAMED, done.stdout, done.stderr)
        self.assertIn("debuginfod: 2 files fetched, ", done.stderr)


def missing() -> str:
    for program in (GDB, CC, OBJCOPY, "curl", "readelf"):
        if not program or not shutil.which(program):
            return f"there is no {program or 'gdb'}"
    return ""


if __name__ == "__main__":
    if missing():
        print(f"skipped: {missing()}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
