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
    add_statics(dump, count)
    return dump.header() + dump.outside + dump.body()


def add_statics(dump: Dump, count: int) -> None:
    """A shared object with a collection that has so many, and one with a chain of so many."""
    base = 0x500000
    entry = dump.add_class("demo/Entry", size=16)
    link = dump.add_class("demo/Link", fields=[("next", OBJECT)], size=16)
    entries = [dump.instance(entry, base + 0x10000 + 16 * i, []) for i in range(count)]
    array = dump.array(dump.add_class("[Ldemo/Entry;"), base, entries)
    links = [base + 0x40000 + 16 * i for i in range(count)]
    for place, after in zip(links, [*links[1:], 0]):
        dump.instance(link, place, [after])
    heads = dump.array(dump.add_class("[Ldemo/Link;"), base + 0x8000, [links[0]])
    for name, held in (("demo/Registry", array), ("demo/Chain", heads)):
        holder = dump.add_class(name, statics=[("shared", OBJECT, held)])
        dump.root(holder.id, 0x05)


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
        return {row["class"]: row.get("pattern") for row in rows
                if row["class"].startswith("demo.") and "[]" not in row["class"]}

    def test_caches_and_listeners_are_named_and_others_are_not(self) -> None:
        self.assertEqual({"demo.Image": "cache-never-shrinks", "demo.Screen": "observers-never-removed",
                          "demo.Thing": None, "demo.Entry": "singleton-collects",
                          "demo.Link": None}, self.patterns(10, 200))

    def test_what_shrinks_is_no_mistake(self) -> None:
        self.assertEqual({None}, set(self.patterns(200, 10).values()))

    def test_the_text_says_it(self) -> None:
        text = self.diff(10, 200)
        self.assertIn("Known mistake: A cache grows and never shrinks (demo.Image)\n", text)
        self.assertNotIn("(demo.Thing)", text)


if __name__ == "__main__":
    unittest.main()
