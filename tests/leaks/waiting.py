"""Programs that say "ready", wait until their input goes on or ends, and end with 0 if they were
right."""
import os
import pathlib
import subprocess
import tempfile


def snapshots_of(command, loupe, folder, **variables):
    """Saves a snapshot of the program from outside each time that it waits: their files in order,
    and what went wrong, as text, or nothing."""
    snapshots, said = [], ""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **variables}) as process:
        try:
            for line in process.stdout:
                if line != "ready\n":
                    continue
                snapshots.append(folder / f"{len(snapshots)}.loupe")
                made = subprocess.run([loupe, "snapshot", str(process.pid), snapshots[-1]],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                      timeout=1800, check=False)
                said = said or ("" if snapshots[-1].exists() else made.stdout)
                process.stdin.write("\n")
                process.stdin.flush()
        finally:
            process.stdin.close()
        if process.wait(timeout=1800) or not snapshots:
            return snapshots, f"the program itself ended with {process.returncode}"
    return snapshots, said


class Waits:
    """A test case about a program that waits. Its class says which `program`, and the `gdb` for
    cores, or nothing."""
    files = ("truth",)  # what the program takes: files in the folder of the test

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)
        self.process = subprocess.Popen(
            [self.program, *(self.folder / name for name in self.files)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.finish)
        self.assertEqual("ready\n", self.process.stdout.readline())

    def finish(self):
        if self.process.returncode is None:
            self.process.communicate(timeout=1800)

    def truth(self):
        return [line.split() for line in (self.folder / "truth").read_text().splitlines()]

    def core(self):
        if not self.gdb:
            self.skipTest("gdb is not installed")
        core = self.folder / "core"
        subprocess.run([self.gdb, "-nx", "-batch", "-p", str(self.process.pid), "-ex",
                        f"gcore {core}"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return core


class LooksAlike(Waits):
    """The same is to be seen of it live and in a core: check(target) looks."""

    def test_live(self):
        self.check(str(self.process.pid))

    def test_in_a_core(self):
        self.check(self.core())
