"""Drawings for Graphviz: what is drawn, what is folded, and that Graphviz takes it."""
import shutil
import subprocess
import unittest

import tool
from answers import cycles, edge, fix, knot, ring, self_in_block, thing


def dot(answer, *options, title="t"):
    return tool.drawn(answer, "dot", "--title", title, *options)


def red(text):
    return [line.split(" [")[0].strip() for line in text.splitlines() if "color=red" in line]


def long_ring(count, start=0x10000):
    """So many nodes that keep the next one, and their objects."""
    names = [hex(start + 16 * i) for i in range(count)]
    links = [edge(one, other, "ivar", f"_link{i % 3}")
             for i, (one, other) in enumerate(zip(names, names[1:] + names[:1]))]
    return ring(*links), {name: thing("Node") for name in names}


class Drawings(unittest.TestCase):
    maxDiff = None

    def test_ring_with_its_weak_candidates(self):
        answer = self_in_block()
        answer["knots"][0]["fixes"][0]["text"] = "capture self weakly in the block at x.m:42"
        self.assertEqual(r"""
digraph loupe {
  label="one \"leak\"\nline 2"; labelloc=t; labeljust=l; fontname="Helvetica";
  node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica", fontsize=11];
  edge [fontname="Helvetica", fontsize=10];
  subgraph cluster_0 {
    label="cycle 1: leaked\nA completion handler stays after it has run\nfix: capture self weakly in the block at x.m:42"; color=gray; style=rounded;
    tooltip="fingerprint beef";
    "0x1f00" [label="PhotoViewController\n0x1f00", penwidth=2];
    "0x2f00" [label="block\nPhotoViewController.m:42\n0x2f00", fillcolor="#fff3d6"];
  }
  "0x1f00" -> "0x2f00" [label=" _completion \n ivar "];
  "0x2f00" -> "0x1f00" [label=" self \n captured ", color=red, fontcolor=red, penwidth=2];
}
""".lstrip("\n"), dot(answer, title='one "leak"\nline 2'))

    def test_rings_that_share_references_draw_them_once(self):
        shared = edge("0x1f00", "0x3f00", "ivar", "_a")
        one = ring(shared, edge("0x3f00", "0x1f00", "ivar", "_b"))
        two = ring(shared, edge("0x3f00", "0x4f00", "ivar", "_c", 16),
                   edge("0x4f00", "0x1f00", "ivar", "_d", ownership="assumed"))
        objects = {address: thing("A") for address in ("0x1f00", "0x3f00", "0x4f00")}
        text = dot(cycles(objects, [knot([one, two], fixes=[fix(shared)])]))
        self.assertEqual(4, text.count(" -> "))
        self.assertEqual(3, text.count('[label="A'))
        self.assertEqual(1, text.count("style=dashed"))

    def test_what_an_object_says_stands_below_its_name(self):
        answer = self_in_block()
        answer["objects"]["0x1f00"]["value"] = '"Inbox \\ 5"'
        self.assertIn(r'"0x1f00" [label="PhotoViewController\n\"Inbox \\ 5\"\n0x1f00", penwidth=2]', dot(answer))
        answer["objects"]["0x1f00"]["value"] = '"' + "long " * 100
        self.assertIn(r'label="PhotoViewController\n\"' + "long " * 8, dot(answer).replace("...", " "))

    def test_an_ivar_that_must_be_weak_everywhere_is_red_everywhere(self):
        there = edge("0x1f00", "0x3f00", "ivar", "_child")
        back = edge("0x3f00", "0x1f00", "ivar", "_parent")
        also_back = edge("0x4f00", "0x1f00", "ivar", "_parent")
        objects = {"0x1f00": thing("Tree"), "0x3f00": thing("Node"), "0x4f00": thing("Node")}
        two = ring(edge("0x1f00", "0x4f00", "ivar", "_other", 16), also_back)
        text = dot(cycles(objects, [knot([ring(there, back), two], objects=3, edges=4, fixes=[
            fix(back, "ring", everywhere="knot", frees=True)])]))
        self.assertEqual(['"0x3f00" -> "0x1f00"', '"0x4f00" -> "0x1f00"'], red(text))

    def test_one_of_several_references_that_would_do_is_red(self):
        names = ["0x1f00", "0x3f00", "0x4f00"]
        links = [edge(one, other, "ivar", "_next")
                 for one, other in zip(names, names[1:] + names[:1])]
        text = dot(cycles({name: thing("Node") for name in names},
                          [knot([ring(*links)], fixes=[fix(links[2]), fix(links[0])])]))
        self.assertEqual(['"0x4f00" -> "0x1f00"'], red(text))

    def test_what_is_not_enough_is_not_proposed(self):
        there = edge("0x1f00", "0x3f00", "ivar", "_b")
        back = edge("0x3f00", "0x1f00", "ivar", "_a")
        objects = {"0x1f00": thing("A"), "0x3f00": thing("B")}
        for weak in (fix(back, "ring"), fix(back, frees=False, kept_by="0x3f00")):
            text = dot(cycles(objects, [knot([ring(there, back)], fixes=[weak])]))
            self.assertIn("cycle 1: leaked\\nno single fix breaks it", text)
            self.assertNotIn("weak", text)
            self.assertEqual([], red(text))

    def test_holders_outside_are_drawn(self):
        there = edge("0x3f00", "0x4f00", "ivar", "_b")
        back = edge("0x4f00", "0x3f00", "ivar", "_a")
        objects = {"0x1f00": thing("List"), "0x3f00": thing("A"), "0x4f00": thing("B")}
        text = dot(cycles(objects, [knot([ring(there, back)], "held", seed=False,
                                         held_by=[edge("0x1f00", "0x3f00", "ivar", "_first")])]))
        self.assertIn('  "0x1f00" -> "0x3f00" [label=" _first \\n ivar ", color=gray, '
                      "fontcolor=gray];", text)
        self.assertEqual(1, text.count('"0x1f00" [label="List'))
        self.assertEqual(1, text.count('"0x3f00" [label="A'))

    def test_knots_alike_are_drawn_once(self):
        def pair(at):
            return knot([ring(edge(hex(at), hex(at + 32), "ivar", "_b"),
                              edge(hex(at + 32), hex(at), "ivar", "_a"))])
        objects = {hex(at): thing("A") for at in range(0x1f00, 0x2000, 32)}
        text = dot(cycles(objects, [pair(0x1f00), pair(0x1f40), pair(0x1f80)]))
        self.assertEqual(1, text.count("subgraph"))
        self.assertIn("2 more equal to it", text)

    def test_without_a_knot_the_object_stands_alone(self):
        self.assertIn('"0x1f00" [label="A', dot(cycles({"0x1f00": thing("A")}, [])))


class Folding(unittest.TestCase):
    def test_a_run_of_equal_steps_is_one_node(self):
        names = [hex(0x10000 + 16 * i) for i in range(1000)]
        links = [edge(one, other, "ivar", "_next")
                 for one, other in zip(names, names[1:] + names[:1])]
        text = dot(cycles({name: thing("Node") for name in names}, [knot([ring(*links)])]))
        self.assertEqual(2, text.count('[label="Node'))  # where the run begins and ends
        self.assertIn("998 more references", text)

    def test_thirty_objects_at_most_unless_all_are_wanted(self):
        knots, objects = [], {}
        for i in range(6):
            one, things = long_ring(40, 0x10000 * (i + 1))
            knots.append({**knot([one], seed=False), "fingerprint": f"{i:016x}"})
            objects.update(things)
        answer = {**cycles(objects, knots), "seed": None}
        text = dot(answer)
        self.assertLessEqual(text.count('[label="Node'), 30)
        self.assertEqual(text.count("subgraph"), 6 - 4)
        self.assertIn("not drawn: 0 more loops, 4 more findings (-v draws all)", text)
        whole = dot(answer, "--verbose")
        self.assertEqual(240, whole.count('[label="Node'))
        self.assertEqual(240, whole.count(" -> "))

    def test_what_the_answer_left_out_is_counted(self):
        one, things = long_ring(8)
        one["edges_left_out"] = 5000
        text = dot(cycles(things, [knot([one])]), "--verbose")
        self.assertIn("5000 more references", text)


class Hostile(unittest.TestCase):
    def test_what_is_not_seen_is_escaped(self):
        answer = self_in_block()
        answer["objects"]["0x1f00"]["class"] = "a\u202eb\x1b\x9b\u2028\ue000\U000e0041&#10;"
        text = dot(answer)
        self.assertIn(r"a\\u202eb\\x1b\\x9b\\u2028\\ue000\\U000e0041&amp;#10;", text)

    def test_a_name_of_ten_megabytes_is_cut(self):
        answer = self_in_block()
        answer["objects"]["0x1f00"]["class"] = "X" * 10_000_000
        text = dot(answer)
        self.assertLess(len(text), 4000)
        self.assertIn("(10000000 bytes)", text)

    @unittest.skipUnless(shutil.which("dot"), "Graphviz is not installed")
    def test_graphviz_takes_it(self):
        answer = self_in_block()
        answer["objects"]["0x1f00"]["class"] = 'Odd "\\N" <class> {} \\'
        made = subprocess.run(["dot", "-Tsvg"], input=dot(answer, title="a\nb").encode(),
                              capture_output=True, check=True)
        self.assertEqual(b"", made.stderr)
        self.assertIn(b"Odd &quot;\\N&quot; &lt;class&gt; {} \\", made.stdout)


if __name__ == "__main__":
    unittest.main()
