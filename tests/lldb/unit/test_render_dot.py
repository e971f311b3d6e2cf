"""Pictures: the DOT text, and that Graphviz takes it."""
import shutil
import subprocess
import unittest

from answers import cycles, edge, fix, knot, ring, self_in_block, thing
from lldb_commands.render.dot import dot


class Pictures(unittest.TestCase):
    maxDiff = None

    def test_ring_with_its_weak_candidates(self):
        self.assertEqual(r"""
digraph retain_cycles {
  label="one \"leak\""; labelloc=t; labeljust=l; fontname="Helvetica";
  node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica", fontsize=11];
  edge [fontname="Helvetica", fontsize=10];
  subgraph cluster_0 {
    label="knot 1: leaked\nto break it: capture self weakly in the block at PhotoViewController.m:42"; color=gray; style=rounded;
    "0x1f00" [label="PhotoViewController\n0x1f00", penwidth=2];
    "0x2f00" [label="block\nPhotoViewController.m:42\n0x2f00", fillcolor="#fff3d6"];
  }
  "0x1f00" -> "0x2f00" [label=" _completion \n ivar "];
  "0x2f00" -> "0x1f00" [label=" self \n captured ", color=red, fontcolor=red, penwidth=2];
}
""".lstrip("\n"), dot(self_in_block(), 'one "leak"'))

    def test_rings_that_share_references_draw_them_once(self):
        shared = edge("0x1f00", "0x3f00", "ivar", "_a")
        one = ring(shared, edge("0x3f00", "0x1f00", "ivar", "_b"))
        two = ring(shared, edge("0x3f00", "0x4f00", "ivar", "_c", 16),
                   edge("0x4f00", "0x1f00", "ivar", "_d", ownership="assumed"))
        objects = {address: thing("A") for address in ("0x1f00", "0x3f00", "0x4f00")}
        text = dot(cycles(objects, [knot([one, two], fixes=[fix(shared)])]), "t")
        self.assertEqual(4, text.count(" -> "))
        self.assertEqual(3, text.count('[label="A'))
        self.assertEqual(1, text.count("style=dashed"))

    def test_an_ivar_that_must_be_weak_everywhere_is_red_everywhere(self):
        there = edge("0x1f00", "0x3f00", "ivar", "_child")
        back = edge("0x3f00", "0x1f00", "ivar", "_parent")
        also_back = edge("0x4f00", "0x1f00", "ivar", "_parent")
        objects = {"0x1f00": thing("Tree"), "0x3f00": thing("Node"), "0x4f00": thing("Node")}
        two = ring(edge("0x1f00", "0x4f00", "ivar", "_other", 16), also_back)
        text = dot(cycles(objects, [knot([ring(there, back), two], objects=3, edges=4, fixes=[
            fix(back, "ring", everywhere="knot", frees=True)])]), "t")
        self.assertEqual(['"0x3f00" -> "0x1f00"', '"0x4f00" -> "0x1f00"'], self.red(text))

    def red(self, text):
        return [line.split(" [")[0].strip() for line in text.splitlines() if "color=red" in line]

    def test_one_of_several_references_that_would_do_is_red(self):
        names = ["0x1f00", "0x3f00", "0x4f00"]
        links = [edge(one, other, "ivar", "_next")
                 for one, other in zip(names, names[1:] + names[:1])]
        text = dot(cycles({name: thing("Node") for name in names},
                          [knot([ring(*links)], fixes=[fix(links[2]), fix(links[0])])]), "t")
        self.assertEqual(['"0x4f00" -> "0x1f00"'], self.red(text))

    def test_what_is_not_enough_is_not_proposed(self):
        there = edge("0x1f00", "0x3f00", "ivar", "_b")
        back = edge("0x3f00", "0x1f00", "ivar", "_a")
        objects = {"0x1f00": thing("A"), "0x3f00": thing("B")}
        for weak in (fix(back, "ring"), fix(back, frees=False, kept_by="0x3f00")):
            text = dot(cycles(objects, [knot([ring(there, back)], fixes=[weak])]), "t")
            self.assertIn("knot 1: leaked\\nno single change breaks it", text)
            self.assertNotIn("weak", text)
            self.assertEqual([], self.red(text))

    def test_holders_outside_are_drawn(self):
        there = edge("0x3f00", "0x4f00", "ivar", "_b")
        back = edge("0x4f00", "0x3f00", "ivar", "_a")
        objects = {"0x1f00": thing("List"), "0x3f00": thing("A"), "0x4f00": thing("B")}
        text = dot(cycles(objects, [knot([ring(there, back)], "held", seed=False,
                                         held_by=[edge("0x1f00", "0x3f00", "ivar", "_first")])]),
                   "t")
        self.assertIn('  "0x1f00" -> "0x3f00" [label=" _first \\n ivar ", color=gray, '
                      "fontcolor=gray];", text)
        self.assertEqual(1, text.count('"0x1f00" [label="List'))
        self.assertEqual(1, text.count('"0x3f00" [label="A'))

    def test_knots_alike_are_drawn_once(self):
        def pair(at):
            return knot([ring(edge(hex(at), hex(at + 32), "ivar", "_b"),
                              edge(hex(at + 32), hex(at), "ivar", "_a"))])
        objects = {hex(at): thing("A") for at in range(0x1f00, 0x2000, 32)}
        text = dot(cycles(objects, [pair(0x1f00), pair(0x1f40), pair(0x1f80)]), "t")
        self.assertEqual(1, text.count("subgraph"))
        self.assertIn("2 more are like it, such as that of A 0x1f40", text)

    def test_without_a_knot_the_object_stands_alone(self):
        self.assertIn('"0x1f00" [label="A', dot(cycles({"0x1f00": thing("A")}, []), "t"))

    @unittest.skipUnless(shutil.which("dot"), "Graphviz is not installed")
    def test_graphviz_takes_it(self):
        answer = self_in_block()
        answer["objects"]["0x1f00"]["class"] = 'Odd "\\N" <class> {}'
        run = subprocess.run(["dot", "-Tsvg"], input=dot(answer, "a\nb").encode(),
                             capture_output=True, check=True)
        self.assertEqual(b"", run.stderr)
        self.assertIn(b"Odd &quot;\\N&quot; &lt;class&gt;", run.stdout)


if __name__ == "__main__":
    unittest.main()
