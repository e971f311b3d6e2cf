"""The steps of action.yml, run as GitHub runs them, with a release on a server of this machine.

usage: test_action.py LOUPE PROJECT
"""
import functools
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest

from drawn_dump import BOOLEAN, OBJECT, Dump, with_java_basics

LOUPE, PROJECT = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
VERSION = re.search(r"project\(loupe VERSION ([\d.]+)", (PROJECT / "CMakeLists.txt").read_text()).group(1)
SYSTEM = f"{os.uname().sysname}-{os.uname().machine}"
ARCHIVE = f"loupe-{VERSION}-{SYSTEM}.tar.gz"


def destroyed_activity() -> bytes:
    """A screen of Android that is gone, and a static field that holds it."""
    dump = Dump(4, "1.0.3")
    basics = with_java_basics(dump)
    activity = dump.add_class("android/app/Activity", [("mDestroyed", BOOLEAN)], superclass=basics["Object"], size=16)
    main = dump.add_class("demo/Main", superclass=activity, size=16)
    holder = dump.add_class("demo/Holder", statics=[("held", OBJECT, dump.instance(main, 0x1000, [1]))],
                            superclass=basics["Object"])
    dump.root(holder.id, 0x05)
    return dump.bytes()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


class Steps(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.release = self.folder / "web/owner/loupe/releases/download" / f"v{VERSION}"
        self.release.mkdir(parents=True)
        (self.folder / "bin").mkdir()
        (self.folder / "work").mkdir()
        with tarfile.open(self.release / ARCHIVE, "w:gz") as archive:
            archive.add(LOUPE, f"loupe-{VERSION}/bin/loupe")
        self.write_sums(hashlib.sha256((self.release / ARCHIVE).read_bytes()).hexdigest())
        self.gh("exit 0")
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=str(self.folder / "web")))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.environment = {
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "HOME": str(self.folder),
            "RUNNER_TEMP": str(self.folder / "temp"), "GITHUB_ACTION_PATH": str(PROJECT),
            "GITHUB_SERVER_URL": f"http://127.0.0.1:{server.server_port}",
            **{f"GITHUB_{name}": str(self.folder / name) for name in ("OUTPUT", "PATH", "STEP_SUMMARY")}}
        (self.folder / "temp").mkdir()

    def write_sums(self, digest: str) -> None:
        (self.release / "SHA256SUMS").write_text(f"{digest}  {ARCHIVE}\n{'0' * 64}  other.deb\n")

    def gh(self, body: str) -> None:
        """A double of GitHub's program: the real one asks GitHub."""
        path = self.folder / "bin/gh"
        path.write_text(f'#!/bin/sh\necho "$@" >> {self.folder}/asked\n{body}\n')
        path.chmod(0o755)

    def step(self, name: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([PROJECT / "packaging/action" / name], cwd=self.folder / "work", text=True,
                              env={**self.environment, **environment}, capture_output=True, check=False)

    def install(self, **environment: str) -> "subprocess.CompletedProcess[str]":
        return self.step("install.sh", **{"LOUPE_VERSION": "", "LOUPE_REPOSITORY": "owner/loupe", **environment})

    def outputs(self) -> "dict[str, str]":
        lines = (self.folder / "OUTPUT").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)


@unittest.skipUnless(shutil.which("curl"), "there is no curl")
class Install(Steps):
    def test_a_release_is_installed_once_its_sum_and_attestation_are_right(self) -> None:
        done = self.install()
        self.assertEqual(0, done.returncode, done)
        [folder] = (self.folder / "PATH").read_text().splitlines()
        self.assertEqual(f"loupe {VERSION}\n", subprocess.check_output([f"{folder}/loupe", "--version"], text=True))
        self.assertEqual(f"attestation verify {ARCHIVE} --repo owner/loupe\n", (self.folder / "asked").read_text())
        self.assertTrue(self.outputs()["share"].endswith("/share/loupe"))

    def refused(self, said: str, **environment: str) -> None:
        done = self.install(**environment)
        self.assertNotEqual(0, done.returncode)
        self.assertIn("::error title=Loupe::", done.stdout)
        self.assertIn(said, done.stdout)
        self.assertFalse((self.folder / "PATH").exists())

    def test_another_sum(self) -> None:
        self.write_sums("1" * 64)
        self.refused("is not what SHA256SUMS says")

    def test_no_sum(self) -> None:
        (self.release / "SHA256SUMS").write_text(f"{'0' * 64}  other.deb\n")
        self.refused("does not name")

    def test_no_attestation(self) -> None:
        self.gh("exit 1")
        self.refused("has no attestation")

    def test_a_version_that_is_none(self) -> None:
        self.refused("cannot be fetched", LOUPE_VERSION="9.9.9")
        self.refused("version is not the number of a release", LOUPE_VERSION="../../evil")


class Ask(Steps):
    def ask(self, arguments: str, **environment: str) -> str:
        (self.folder / "bin/loupe").symlink_to(LOUPE)
        (self.folder / "work/my heap.hprof").write_bytes(destroyed_activity())
        done = self.step("ask.sh", LOUPE_ARGUMENTS=arguments, LOUPE_SARIF="loupe.sarif",
                         **{"LOUPE_ANCHOR": "", **environment})
        self.assertEqual(0, done.returncode, done)
        return done.stdout

    def test_one_answer_becomes_annotations_report_and_summary(self) -> None:
        said = self.ask("suspects 'my heap.hprof' --fail-if-found", LOUPE_ANCHOR="src/Main.java")
        self.assertIn("file=src/Main.java,line=1", said)
        [run] = json.loads((self.folder / "work/loupe.sarif").read_text())["runs"]
        self.assertTrue(run["results"])
        self.assertIn("## Loupe: ", (self.folder / "STEP_SUMMARY").read_text())
        outputs = self.outputs()
        self.assertEqual(("1", "true"), (outputs["status"], outputs["has-report"]))
        self.assertEqual("suspects", json.loads(pathlib.Path(outputs["answer"]).read_text())["query"])

    def test_what_cannot_be_answered(self) -> None:
        self.ask("cycles none.hprof")
        self.assertEqual("2", self.outputs()["status"])

    def test_nothing_of_the_arguments_is_run(self) -> None:
        self.ask("suspects 'my heap.hprof' $(touch evil) ; touch evil2 `touch evil3`")
        self.assertEqual([], list((self.folder / "work").glob("evil*")))
        self.assertEqual("2", self.outputs()["status"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
