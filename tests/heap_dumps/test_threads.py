"""The local variables of many threads stand in the frames that hold them, in every output.

usage: test_threads.py LOUPE
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import typing
import unittest

import java
from hprof_reader import HeapDump

LOUPE = ""
FOLDER = pathlib.Path()
THREADS = 60
# Each thread has a variable in a method of its own depth, so that no two stacks are alike.
PROGRAM = """
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

public class Threads {
    static final class Held { final int number; Held(int number) { this.number = number; } }
    static final CountDownLatch ready = new CountDownLatch(%d), done = new CountDownLatch(1);
    static int odd(Held held, int depth) throws Exception {
        return depth == 0 ? hold(held) : even(held, depth - 1) + held.number;
    }
    static int even(Held held, int depth) throws Exception {
        return depth == 0 ? hold(held) : odd(held, depth - 1) + held.number;
    }
    static int hold(Held held) throws Exception {
        ready.countDown();
        done.await();
        return held.number;
    }
    public static void main(String[] arguments) throws Exception {
        List<Thread> holders = new ArrayList<>();
        for (int i = 0; i < %d; i++) {
            final int number = i;
            Thread thread = new Thread(() -> {
                try {
                    odd(new Held(number), number %% 7);
                } catch (Exception e) {
                    throw new RuntimeException(e);
                }
            }, "holder " + i);
            thread.setDaemon(true);
            thread.start();
            holders.add(thread);
        }
        ready.await();
        for (Thread thread : holders)
            while (thread.getState() != Thread.State.WAITING)
                Thread.sleep(1);
        ManagementFactory.newPlatformMXBeanProxy(ManagementFactory.getPlatformMBeanServer(),
            "com.sun.management:type=HotSpotDiagnostic",
            com.sun.management.HotSpotDiagnosticMXBean.class).dumpHeap(arguments[0], true);
    }
}
""" % (THREADS, THREADS)
Place = typing.Tuple[str, str, str, typing.Optional[int]]


def make_dump() -> None:
    (FOLDER / "Threads.java").write_text(PROGRAM)
    java.compile_sources(FOLDER, [FOLDER / "Threads.java"])
    java.run_java(str(FOLDER), "Threads", str(FOLDER / "threads.hprof"))
    subprocess.run([LOUPE, "snapshot", str(FOLDER / "threads.hprof"),
                    str(FOLDER / "threads.loupe")], check=True, capture_output=True)


def ask(file: str, *words: str) -> str:
    return subprocess.run([LOUPE, "path", str(FOLDER / file), "--to-class", "Threads$Held", "-n",
                           "1000", "--each", *words], check=True, capture_output=True, text=True).stdout


def paths(file: str) -> typing.List[typing.Dict[str, typing.Any]]:
    found: typing.List[typing.Dict[str, typing.Any]] = json.loads(ask(file, "--json"))["paths"]
    return found


def place_of(frame: typing.Dict[str, typing.Any]) -> Place:
    return frame["class"], frame["method"], frame["source"], frame["line"]


class Locals(unittest.TestCase):
    dump: HeapDump
    want: typing.Dict[int, typing.Set[Place]]

    @classmethod
    def setUpClass(cls) -> None:
        cls.dump = HeapDump(FOLDER / "threads.hprof")
        cls.want = {}
        for address, _, frame in cls.dump.locals():
            if cls.dump.class_name(address) != "Threads$Held":
                continue
            assert frame
            line = frame.line if frame.line > 0 else None
            cls.want.setdefault(address, set()).add((frame.class_name, frame.method, frame.source,
                                                     line))

    def number_of(self, address: int) -> int:
        return next(value for _, field, value in self.dump.values(address)
                    if field.name == "number")

    def test_the_dump_is_what_it_should_be(self) -> None:
        self.assertEqual(len(self.want), THREADS)
        depths = {len(places) for places in self.want.values()}
        self.assertGreater(len(depths), 1)

    def test_each_is_in_a_frame_of_its_own_thread(self) -> None:
        for file in ("threads.hprof", "threads.loupe"):
            found = paths(file)
            self.assertEqual(len(found), THREADS)
            for path in found:
                address = int(path["objects"][-1]["address"], 16)
                if path["length"]:
                    continue
                self.assertIn(place_of(path["root"]["frame"]), self.want[address], path["root"])
                self.assertEqual(path["root"]["thread"], f"holder {self.number_of(address)}")

    def right_words(self) -> typing.Set[str]:
        return {f"of thread \"holder {self.number_of(address)}\" in {of}.{method}({source}:{line})"
                for address, places in self.want.items() for of, method, source, line in places}

    def test_text_and_page_say_the_same(self) -> None:
        roots = [line for line in ask("threads.hprof").splitlines() if line.startswith("  ┬ ")]
        said = {re.sub(r"^.* of thread", "of thread", root) for root in roots}
        self.assertEqual(len(said), THREADS)
        self.assertEqual(said - self.right_words(), set())
        page = FOLDER / "threads.html"
        ask("threads.hprof", "--html", str(page))
        on_page = re.findall(r'of thread \\"holder \d+\\" in [\w.$]+', page.read_text("utf-8"))
        right = {words.split("(")[0].replace('"', '\\"') for words in self.right_words()}
        self.assertEqual(len(set(on_page)), THREADS)
        self.assertEqual(set(on_page) - right, set())


if __name__ == "__main__":
    LOUPE = sys.argv.pop(1)
    java.need_java()
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        make_dump()
        unittest.main()
