"""Dumps that the JDK's own tools write of a running program, against what they count themselves.

usage: test_jvm.py LOUPE
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import typing
import unittest

import java
import zoo

LOUPE = ""
FOLDER = pathlib.Path()
HISTOGRAM = ""
WAITS = """
public class Waits {
    static Object[] kept = new Object[1000];
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < kept.length; i++)
            kept[i] = i % 2 == 0 ? new long[i] : new java.util.ArrayList<Integer>(i);
        System.out.println("ready");
        System.in.read();
    }
}
"""


def make_dumps() -> None:
    """Written by jcmd: of what is alive, packed, and with garbage."""
    global HISTOGRAM
    (FOLDER / "Waits.java").write_text(WAITS)
    java.compile_sources(FOLDER, [FOLDER / "Waits.java"])
    with subprocess.Popen(["java", "-XX:+UseSerialGC", "-Xmx256m", "-cp", str(FOLDER), "Waits"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as waiting:
        assert waiting.stdin and waiting.stdout
        waiting.stdout.readline()

        def jcmd(*words: str) -> str:
            return subprocess.run(["jcmd", str(waiting.pid), *words], check=True,
                                  capture_output=True, text=True).stdout
        jcmd("GC.heap_dump", str(FOLDER / "live.hprof"))
        jcmd("GC.heap_dump", "-gz=1", str(FOLDER / "packed.hprof.gz"))
        jcmd("GC.heap_dump", "-all", str(FOLDER / "all.hprof"))
        HISTOGRAM = jcmd("GC.class_histogram")
        waiting.stdin.close()


def by_class(file: str) -> typing.Dict[str, typing.Tuple[int, int]]:
    done = subprocess.run([LOUPE, "heap", str(FOLDER / file), "--limit", "0", "--json"],
                          check=True, capture_output=True, text=True)
    answer = json.loads(done.stdout)
    assert answer["status"] == "ok", answer["not_followed"]
    return {entry["class"]: (entry["count"], entry["size"]) for entry in answer["classes"]}


def counted_by_the_machine() -> typing.Dict[str, typing.Tuple[int, int]]:
    return zoo.histogram_of(HISTOGRAM)


class Jvm(unittest.TestCase):
    # Asking changes what is asked: the tool's own strings and threads come and go.
    MOVING = 0.02

    def test_classes_count_as_many_instances_and_bytes_as_the_machine_says(self) -> None:
        # To a few (threads, loaders, modules) it adds fields or room that no dump shows.
        want, got = counted_by_the_machine(), by_class("live.hprof")
        same, larger = [], []
        for name, (count, size) in want.items():
            if name == "java.lang.Class" or name not in got:
                continue  # a class object's size is the machine's own affair
            self.assertLess(abs(got[name][0] - count), 8 + self.MOVING * count, name)
            if got[name] == (count, size):
                same.append(name)
            elif got[name][0] == count:
                self.assertLess(got[name][1], size, name)
                larger.append(name)
        self.assertGreater(len(same), 0.85 * len(want))
        self.assertLess(len(larger), 0.05 * len(want), larger)
        self.assertEqual(got["long[]"], want["long[]"])
        self.assertEqual(got["java.util.ArrayList"], want["java.util.ArrayList"])

    def test_a_packed_dump_is_read_as_a_plain_one(self) -> None:
        plain, packed = by_class("live.hprof"), by_class("packed.hprof.gz")
        self.assertEqual(plain["long[]"], packed["long[]"])
        self.assertLess(abs(len(plain) - len(packed)), 5)

    def test_a_dump_with_garbage_has_more(self) -> None:
        self.assertGreaterEqual(by_class("all.hprof")["long[]"][0],
                                by_class("live.hprof")["long[]"][0])

    def test_a_snapshot_of_it_answers_the_same(self) -> None:
        out = str(FOLDER / "live.loupe")
        subprocess.run([LOUPE, "snapshot", str(FOLDER / "live.hprof"), out], check=True,
                       capture_output=True)
        self.assertEqual(by_class("live.loupe"), by_class("live.hprof"))


if __name__ == "__main__":
    LOUPE = sys.argv.pop(1)
    java.need_java("jcmd")
    with tempfile.TemporaryDirectory() as made:
        FOLDER = pathlib.Path(made)
        make_dumps()
        unittest.main()
