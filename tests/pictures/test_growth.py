"""What grows between two heaps is called by the mistake that lets it."""
import json
import pathlib
import sys
import tempfile
import unittest

import tool

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "heap_dumps"))

from drawn_dump import OBJECT, Dump  # noqa: E402


def heap(count: int) -> bytes:
    """A cache, a list of listeners and a plain holder, each with so many objects of its own class."""
    dump = Dump()
    holders = [("demo/Loader", "imageCache", "demo/Image"), ("demo/Model", "mListeners", "demo/Screen"),
               ("demo/Plain", "things", "demo/Thing")]
    for number, (holder, field, element) in enumerate(holders):
        base = 0x100000 * (number + 1)
        items = dump.add_class(f"[L{element};")
        kept = dump.add_class(element, size=16)
        owner = dump.add_class(holder, fields=[(field, OBJECT)], size=16)
        all_of_them = [dump.instance(kept, base + 0x1000 + 16 * i, []) for i in range(count)]
        array = dump.array(items, base + 0x10, all_of_them)
        dump.root(dump.instance(owner, base, [array]))
    return dump.header() + dump.outside + dump.body()


class Growth(unittest.TestCase):
    def diff(self, old: int, new: int, *options: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder, name) for name in ("old.hprof", "new.hprof")]
            for file, count in zip(files, (old, new)):
                file.write_bytes(heap(count))
            done = tool.run("diff", *map(str, files), *options)
            self.assertEqual((0, b""), (done.returncode, done.stderr), done)
            return done.stdout.decode()

    def patterns(self, old: int, new: int):
        rows = json.loads(self.diff(old, new, "--json"))["classes"]
        return {row["class"]: row.get("pattern") for row in rows if "[]" not in row["class"]}

    def test_caches_and_listeners_are_named_and_others_are_not(self) -> None:
        self.assertEqual({"demo.Image": "cache-never-shrinks", "demo.Screen": "observers-never-removed",
                          "demo.Thing": None}, self.patterns(10, 200))

    def test_what_shrinks_is_no_mistake(self) -> None:
        self.assertEqual({None}, set(self.patterns(200, 10).values()))

    def test_the_text_says_it(self) -> None:
        text = self.diff(10, 200)
        self.assertIn("Known mistake: A cache grows and never shrinks (demo.Image)\n", text)
        self.assertNotIn("(demo.Thing)", text)


if __name__ == "__main__":
    unittest.main()
