"""Processes in containers, read from outside: in a PID namespace of their own, with another root or in a mount
namespace of their own; and what `loupe doctor` says of them, with and without the right to read them.

usage: test_containers.py LOUPE COMPILER
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import List

LOUPE, COMPILER = sys.argv[1:]
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
struct node { struct node *next; long number; };
static struct node *volatile last;
struct node *kept_by_static;
__attribute__((noinline)) static void plant(void) {
    for (int i = 0; i < 40; i++) {
        last = calloc(1, sizeof(*last));
    }
    last = NULL;
}
int main(void) {
    plant();
    kept_by_static = calloc(1, 50000);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
"""


def works(*command: str) -> bool:
    return bool(shutil.which(command[0])) and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0


def descendants(process: int) -> List[int]:
    children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(child) for child in children] + [other for child in children for other in descendants(int(child))]


@unittest.skipUnless(works("unshare", "-mpf"), "no namespaces can be made here")
class Containers(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.root.chmod(0o755)
        (self.root / "app").mkdir()
        (self.root / "app" / "inside.c").write_text(PROGRAM)
        self.program = self.root / "app" / "inside"
        subprocess.run([COMPILER, "-g", "-O1", self.root / "app" / "inside.c", "-o", self.program], check=True)
        listed = subprocess.run(["ldd", self.program], capture_output=True, text=True, check=True).stdout
        for library in re.findall(r"(/\S+)", listed):
            copy = self.root / library[1:]
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, copy)

    def start(self, *command: str) -> int:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        def end() -> None:
            for child in reversed(descendants(process.pid)):
                os.kill(child, 9)
            process.kill()
            process.communicate()
        self.addCleanup(end)
        assert process.stdout
        self.assertEqual("ready\n", process.stdout.readline())
        return (descendants(process.pid) or [process.pid])[-1]

    def check(self, process: int) -> str:
        done = subprocess.run([LOUPE, "leaks", str(process)], capture_output=True, text=True, check=False)
        self.assertEqual((1, "", "40 leaks, 1 distinct"), (done.returncode, done.stderr, done.stdout.splitlines()[0]))
        held = subprocess.run([LOUPE, "suspects", str(process), "--share", "10"], capture_output=True, text=True, check=False)
        self.assertIn("kept_by_static", held.stdout)  # a name of the program's own file
        said = subprocess.run([LOUPE, "doctor", str(process)], capture_output=True, text=True, check=False)
        self.assertEqual((0, ""), (said.returncode, said.stderr))
        self.assertIn("  can be read: yes\n", said.stdout)
        return said.stdout

    def test_no_container(self) -> None:
        process = self.start(str(self.program))
        self.assertEqual(f"process {process} (inside)\n  can be read: yes\n", self.check(process))

    def test_numbers_of_its_own(self) -> None:
        said = self.check(self.start("unshare", "-pf", str(self.program)))
        self.assertIn("  PID namespace: another one, where it is process 1\n", said)

    def test_another_root(self) -> None:
        said = self.check(self.start("chroot", str(self.root), "/app/inside"))
        self.assertIn(f"  files: below {self.root}\n", said)

    def test_mounts_of_its_own(self) -> None:
        (self.root / "new").mkdir()
        script = (f"cd {self.root} && mount -t tmpfs none new && cp -r app lib* new && ([ ! -d usr ] || cp -r usr new) && "
                  "cd new && mkdir old && pivot_root . old && exec /app/inside")
        said = self.check(self.start("unshare", "-mpf", "sh", "-c", script))
        self.assertIn("  files: of another mount namespace, read below /proc/", said)

    @unittest.skipUnless(works("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"), "no other user can be taken")
    def test_rights(self) -> None:
        process = self.start("unshare", "-pf", str(self.program))
        other = self.root / "loupe"
        shutil.copy(LOUPE, other)
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        for rights, status, says in (("--inh-caps=-all", 2, "with CAP_SYS_PTRACE"), ("--inh-caps=+sys_ptrace", 0, ": yes")):
            command = [*user, rights] + (["--ambient-caps=+sys_ptrace"] if not status else [])
            said = subprocess.run([*command, other, "doctor", str(process)], capture_output=True, text=True, check=False)
            self.assertEqual(status, said.returncode, said)
            self.assertIn(says, said.stdout)
            asked = subprocess.run([*command, other, "leaks", str(process)], capture_output=True, text=True, check=False)
            self.assertEqual(not status, asked.stdout.startswith("40 leaks"), asked)

    def test_none(self) -> None:
        for words, says in ((["x"], "is not the number of a process"), ([], "missing PID"), (["4194304999"], "is not"),
                            (["2147483646"], "there is no process")):
            done = subprocess.run([LOUPE, "doctor", *words], capture_output=True, text=True, check=False)
            self.assertEqual((2, ""), (done.returncode, done.stdout))
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
