"""Pages stay below 5 MB whatever they are made of, and what they leave out is counted."""
import pathlib
import struct
import tempfile
import unittest

import tool
from answers import cycles, edge, fix, knot, ring, thing
from pages import OBJECT, Dump, long_ring

MOST = 5_000_000
FIRST = 0x7f0000000000  # address of an object
LONG = "\u05d0" * 300  # each takes six bytes in JSON


def size_of(page: str) -> int:
    return len(page.encode())


class Answers(unittest.TestCase):
    def page(self, answer, *options):
        page = tool.drawn(answer, "html", *options)
        self.assertLess(size_of(page), MOST)
        return tool.data_of(page)

    def whole(self, ring_of):
        """How long a ring is by what the page has of it."""
        return len(ring_of["arrows"]) + ring_of.get("left", 0)

    def test_a_finding_with_more_references_than_there_is_room_for_is_folded(self):
        data = self.page(long_ring(50_000))
        [finding] = data["findings"]
        [shown] = finding["rings"]
        self.assertEqual(50_000, self.whole(shown))
        self.assertEqual(50_000, shown["length"])
        self.assertGreater(len(shown["arrows"]), 1000)
        self.assertGreater(shown["left"], 10_000)
        self.assertNotIn("more_findings", data)
        [change] = finding["changes"]
        self.assertEqual("_odd", finding["arrows"][change["cut"][0]]["path"])
        ends = [finding["arrows"][number] for number in shown["arrows"]]
        before, behind = ends[shown["gap"] - 1], ends[shown["gap"]]
        self.assertNotEqual(before["to"], behind["from"])
        self.assertEqual(ends[-1]["to"], ends[0]["from"])

    def test_those_behind_a_large_one_have_room(self):
        objects, knots = {}, []
        for number, count in enumerate([30_000, 3, 30_000, 4, 2]):
            names = [hex(0x1000000 * (number + 1) + 16 * i) for i in range(count)]
            objects.update({name: thing("Node") for name in names})
            links = [edge(one, other, "ivar", f"_{i}")
                     for i, (one, other) in enumerate(zip(names, names[1:] + names[:1]))]
            knots.append({**knot([ring(*links)], seed=False), "fingerprint": hex(number)})
        data = self.page(cycles(objects, knots))
        self.assertNotIn("more_findings", data)
        self.assertEqual([30_000, 3, 30_000, 4, 2],
                         [self.whole(finding["rings"][0]) for finding in data["findings"]])
        self.assertEqual([3, 4, 2], [len(data["findings"][at]["arrows"]) for at in (1, 3, 4)])

    def test_many_rings_and_holders(self):
        names = [hex(0x1000 * (i + 1)) for i in range(9000)]
        objects = {name: thing(LONG + name) for name in names}
        rings = [ring(edge(one, other, "ivar", LONG), edge(other, one, "ivar", LONG))
                 for one, other in zip(names, names[1:])]
        held = [edge(name, names[0], "ivar", "_held") for name in names[1:]]
        data = self.page(cycles(objects, [{**knot(rings, "held", seed=False, held_by=held)}]))
        [finding] = data["findings"]
        self.assertEqual(len(rings), len(finding["rings"]) + finding["rings_left"])
        self.assertEqual(len(held), len(finding["holders"]) + finding["holders_left"])

    def test_findings_with_long_names_everywhere(self):
        objects, knots = {}, []
        for number in range(600):
            one, two = hex(0x1000 * (2 * number + 1)), hex(0x1000 * (2 * number + 2))
            text = LONG + str(number)
            there, back = edge(one, two, "ivar", text), edge(two, one, text, text, 32)
            objects.update({one: {**thing(text), "value": text}, two: thing(text, "block")})
            knots.append({**knot([ring(there, back)], seed=False, fixes=[{**fix(back), "text": text}]),
                          "fingerprint": f"{number:x}{text}", "verdict_reason": text})
        notes = [{"reason": LONG, "count": 1, "example": LONG, "code": "x"} for _ in range(1000)]
        data = self.page(cycles(objects, knots, not_followed=notes))
        self.assertEqual(600, len(data["findings"]) + data["more_findings"])
        self.assertGreater(len(data["findings"]), 20)
        self.assertEqual(1000, len(data["notes"]) + data["more_notes"])

    def test_lists_of_owners(self):
        rows = [{"address": hex(0x1000 * (i + 1)), "class": LONG + str(i), "size": 16,
                 "retained": 16, "retained_objects": 1} for i in range(20_000)]
        shares = [{"class": LONG + str(i), "count": 1, "size": 16} for i in range(20_000)]
        head = {"loupe": 1, "query": "retained", "engine": "drawn", "status": "ok"}
        data = self.page({**head, "dominators": rows})
        self.assertEqual(20_000, len(data["owned"]) + data["more_owned"])
        data = self.page({**head, "object": rows[0], "dominators": rows, "dominated": rows,
                          "classes": shares})
        self.assertEqual(20_000, len(data["owners"]) + data["more_owners"])
        self.assertEqual(20_000, len(data["shares"]) + data["more_shares"])


class Heaps(unittest.TestCase):
    """Dumps that are the worst for one part of the page or another."""

    def page(self, dump: Dump):
        with tempfile.TemporaryDirectory() as folder:
            heap, page = pathlib.Path(folder) / "heap.hprof", pathlib.Path(folder) / "heap.html"
            heap.write_bytes(dump.header() + dump.outside + dump.body())
            done = tool.run("snapshot", str(heap), str(page))
            self.assertEqual(0, done.returncode, done)
            self.assertLess(page.stat().st_size, MOST)
            return tool.data_of(page.read_text(encoding="utf-8"))

    def owners_of_their_own(self, next_of):
        """Objects each of its own class and with a field of its own, both with long names."""
        dump = Dump()
        addresses = [FIRST + 4096 * i for i in range(30_000)]
        for i, address in enumerate(addresses):
            of = dump.add_class(f"{LONG}{i}", [(f"{i}{LONG}", OBJECT)])
            dump.instance(of, address, [next_of(addresses, i)])
        return dump, addresses

    def check_whole(self, data, objects):
        heap = data["heap"]
        self.assertGreaterEqual(heap["alive"], objects)
        self.assertEqual(heap["alive"], heap["tiles"]["objects"][0])
        self.assertEqual(heap["objects"], sum(row[1] for row in heap["classes"]) + heap["classes_left"][1])

    def test_each_object_of_its_own_class_and_all_are_roots(self):
        dump, addresses = self.owners_of_their_own(lambda all_of, i: 0)
        for address in addresses:
            dump.root(address)
        self.check_whole(self.page(dump), len(addresses))

    def test_a_chain_of_classes(self):
        dump, addresses = self.owners_of_their_own(
            lambda all_of, i: all_of[i + 1] if i + 1 < len(all_of) else 0)
        dump.root(addresses[0])
        self.check_whole(self.page(dump), len(addresses))

    def test_each_two_of_their_own_classes_are_a_ring(self):
        dump, addresses = self.owners_of_their_own(lambda all_of, i: all_of[i ^ 1])
        for address in addresses[::2]:
            dump.root(address)
        data = self.page(dump)
        self.check_whole(data, len(addresses))
        self.assertEqual(100, len(data["findings"]) + data.get("more_findings", 0))

    def test_a_million_objects_in_chains_and_10_5_roots(self):
        count, root_count = 1_000_000, 100_000
        dump = Dump()
        node = dump.add_class(LONG, [("next", OBJECT)])
        made = struct.Struct(">BQIQIQ")
        step = count // root_count
        dump.heap.append(b"".join(
            made.pack(0x21, FIRST + 16 * i, 1, node.id, 8,
                      FIRST + 16 * (i + 1) if (i + 1) % step else 0) for i in range(count)))
        for i in range(0, count, step):
            dump.root(FIRST + 16 * i)
        self.check_whole(self.page(dump), count)

    def test_a_million_objects_in_one_chain(self):
        count = 1_000_000
        dump = Dump()
        node = dump.add_class("Node", [("next", OBJECT)])
        made = struct.Struct(">BQIQIQ")
        dump.heap.append(b"".join(
            made.pack(0x21, FIRST + 16 * i, 1, node.id, 8,
                      FIRST + 16 * (i + 1) if i + 1 < count else 0) for i in range(count)))
        dump.root(FIRST)
        self.check_whole(self.page(dump), count)


if __name__ == "__main__":
    unittest.main()
