"""Rows of `loupe report` about heaps that a Java virtual machine and a C program made: what they say of the machine
and the program, and what they must not say.

usage: test_rows.py LOUPE COMPILER GDB; the last two may be empty
"""
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Any, Dict, List

import java

LOUPE, COMPILER, GDB = sys.argv[1:]
HERE = pathlib.Path(__file__).resolve().parent / "rows"
SECRET = "hunter2"  # of each text that is planted the beginning: it is in no name of any class, function or file
Row = Dict[str, Any]


def report(*words: str, status: int = 0) -> List[Row]:
    done = subprocess.run([LOUPE, "report", *words], capture_output=True, text=True, check=False)
    assert done.returncode == status, done
    return [json.loads(line) for line in done.stdout.splitlines()]


def holds_secret(row: Row) -> bool:
    return SECRET in json.dumps(row)


class OfJava(unittest.TestCase):
    folder: pathlib.Path
    properties: Dict[str, str]

    @classmethod
    def setUpClass(cls) -> None:
        if not shutil.which("javac"):
            raise unittest.SkipTest("there is no javac")
        made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(made.cleanup)
        cls.folder = pathlib.Path(made.name, f"{SECRET} folder")
        cls.folder.mkdir()
        java.compile_sources(pathlib.Path(made.name, "classes"), [HERE / "Fleet.java"])
        dump = cls.folder / f"{SECRET}.hprof"
        os.environ["SECRET_OF_ENVIRONMENT"] = f"{SECRET}-environment"
        said = java.run_java(f"{made.name}/classes", f"-Dmy.secret={SECRET}-property", "-Dapp.version=4.2", "Fleet", str(dump))
        cls.properties = dict(line.split("=", 1) for line in said.splitlines())
        cls.dump = str(dump)

    def test_what_the_machine_says_of_itself(self) -> None:
        [heap] = [row for row in report(self.dump) if row["row"] == "heap"]
        self.assertEqual("4.2", heap["version"])
        for name in ("java.version", "java.vm.name", "os.arch"):
            self.assertEqual(self.properties[name], heap["system"][name])
        self.assertNotIn("user.name", heap["system"])
        self.assertNotIn("java.class.path", heap["system"])
        # What is asked for goes first.
        self.assertEqual({"9"}, {row["version"] for row in report(self.dump, "--tag", "version=9")})

    def test_threads(self) -> None:
        threads = [row for row in report(self.dump) if row["row"] == "thread"]
        self.assertIn("com.sun.management.internal.HotSpotDiagnostic.dumpHeap0 (HotSpotDiagnostic.java)",
                      [row["top"] for row in threads])
        self.assertEqual({None}, {row["name"] for row in threads})
        self.assertEqual({False}, {row["out_of_memory"] for row in threads})
        named = [row for row in report(self.dump, "--with-values") if row["row"] == "thread"]
        [worker] = [row for row in named if row["name"] == f"worker {SECRET}-property"]
        self.assertGreater(worker["frames"], 1)
        answer = json.loads(subprocess.run([LOUPE, "threads", self.dump, "--json"], capture_output=True, check=True).stdout)
        self.assertEqual([(thread["name"], thread["retained"]) for thread in answer["threads"]],
                         [(row["name"], row["retained"]) for row in named])

    def test_no_row_has_a_secret(self) -> None:
        damaged = self.folder / f"{SECRET}-damaged.hprof"
        whole = pathlib.Path(self.dump).read_bytes()
        damaged.write_bytes(whole[:len(whole) // 2] + b"\xee" * 40 + whole[len(whole) // 2:])
        packed = self.folder / f"{SECRET}-{'long' * 50}.hprof.gz"
        packed.write_bytes(gzip.compress(whole)[:-200000])
        files = [self.dump, str(damaged), str(packed), str(self.folder), str(self.folder / "none")]
        rows = report(*files, "--classes", "0", status=2)
        self.assertEqual({"heap", "finding", "class", "thread", "error"}, {row["row"] for row in rows})
        self.assertEqual([], [row for row in rows if holds_secret(row)])
        # What is looked for is there.
        rows = report(*files, "--classes", "0", "--with-values", status=2)
        self.assertEqual({"thread", "error"}, {"thread", "error"} & {row["row"] for row in rows if holds_secret(row)})


@unittest.skipUnless(COMPILER and GDB, "there is no compiler or no gdb")
class OfC(unittest.TestCase):
    def test_no_row_of_a_core_has_a_secret(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name, f"{SECRET} folder")
            folder.mkdir()
            program = folder / "plants"
            subprocess.run([COMPILER, "-g", "-O1", "-Wl,--build-id=0x1234abcd", HERE / "plants.c", "-o", program, "-lpthread"],
                           check=True)
            with subprocess.Popen([program, f"{SECRET}-argument"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, "SECRET_OF_ENVIRONMENT": f"{SECRET}-environment"}) as process:
                assert process.stdout and process.stdin
                self.assertEqual("ready\n", process.stdout.readline())
                subprocess.run([GDB, "-nx", "-batch", "-p", str(process.pid), "-ex", f"gcore {folder}/core"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
                process.stdin.write("\n")
            core = str(folder / "core")
            rows = report(core, "--classes", "0")
            self.assertEqual({"heap", "finding", "class", "thread"}, {row["row"] for row in rows})
            self.assertEqual([], [row for row in rows if holds_secret(row)])
            [heap] = [row for row in rows if row["row"] == "heap"]
            self.assertEqual("1234abcd", heap["build_id"])
            self.assertTrue([row for row in rows if row.get("kind") == "leak" and row["count"] >= 40], rows)
            program.unlink()  # without the file that it was made of, too
            rows = report(core, "--classes", "0")
            self.assertEqual([], [row for row in rows if holds_secret(row)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
