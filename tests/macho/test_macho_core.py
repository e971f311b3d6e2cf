"""Loupe's answers about Mach-O core files with Apple's layouts, in a true lldb and without one.

usage: test_macho_core.py LLDB PLUGIN CLANG LLD LLVM_TOOLS_FOLDER WORK_FOLDER ASK_TARGET
The expected answers follow from the picture in screen.m.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

from scene import FORMS, Scene

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from lldb_options import QUICK  # noqa: E402

LLDB, PLUGIN, CLANG, LLD, TOOLS, WORK, ASK = sys.argv[1:8]
HERE = pathlib.Path(__file__).resolve().parent
# Tag, payload, and the class and value that it says.
TAGGED = ((2, 0x22038A0116958, ("NSString", '"abcdefgh"')), (3, 0x12, ("NSNumber", "1")),
          (6, 0x2D5821440000000, ("NSDate", "2023-11-14T22:13:20Z")))


def tool(name):
    return f"{TOOLS}/{name}"


def ask(core, questions):
    """The engine's answers to (query, address) pairs, from one run of lldb."""
    command = [LLDB, "-b", "--no-lldbinit", *QUICK, "-o", f"target create --core '{core}'"]
    command += ["-o", f"plugin load '{PLUGIN}'"]
    for query, address in questions:
        command += ["-o", f"loupe-engine {query} --address {address:#x} --max-rings 10"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    answers = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    if len(answers) != len(questions):
        raise AssertionError(f"lldb gave {len(answers)} answers:\n{run.stdout}\n{run.stderr}")
    return answers


def ask_without_lldb(core, questions):
    return [json.loads(subprocess.run([ASK, str(core), query, f"{address:#x}"], capture_output=True,
                                      text=True, check=True).stdout)
            for query, address in questions]  # fmt: skip


class MachOCore:
    """The cases; one subclass per isa form, for lldb and for the reader that needs none."""

    form = None
    ask = None
    note = True

    @classmethod
    def setUpClass(cls):
        programs = pathlib.Path(WORK)
        tools = {"nm": tool("llvm-nm"), "objdump": tool("llvm-objdump")}
        scene = Scene(
            cls.form,
            programs / f"screen-{cls.form.arch}",
            programs / f"libobjc-{cls.form.arch}.dylib",
            tools,
        )
        core = programs / f"{cls.form.name}.core"
        scene.write(core, cls.note)
        cls.names = {f"{address:#x}": name for name, address in scene.objects.items()}
        screen, block = scene.objects["screen"], scene.objects["block"]
        leaf = scene.objects["leaf"]
        cls.refs, cls.cycles, cls.ivars, cls.block, cls.nonsense, cls.incoming, *cls.values = cls.ask(
            core,
            [
                ("strong-refs", screen),
                ("retain-cycles", screen),
                ("ivar-layout", screen),
                ("block-layout", block),
                ("retain-cycles", screen + 24),
                ("incoming-refs", leaf),
                *(("value", cls.form.tagged(tag, payload)) for tag, payload, _ in TAGGED),
            ],
        )

    def edge(self, edge):
        return (self.names[edge["from"]], edge["path"], self.names[edge["to"]])

    def from_screen(self, ring):
        """The ring as (node, kind of the edge that leaves it), turned to start at the screen."""
        steps = [(self.names[edge["from"]], edge["kind"]) for edge in ring["edges"]]
        start = next(i for i, step in enumerate(steps) if step[0] == "screen")
        return tuple(steps[start:] + steps[:start])

    def test_abi_is_apples(self):
        for answer in (self.refs, self.cycles, self.ivars, self.block):
            self.assertEqual((answer["status"], answer["abi"]), ("ok", "apple"))

    def test_strong_refs_of_the_screen(self):
        self.assertEqual(
            sorted(self.edge(edge) for edge in self.refs["edges"]),
            sorted(
                [
                    ("screen", "_handler", "block"),
                    ("screen", "_pair.object", "leaf"),
                    ("screen", "_list[1]", "array"),
                    ("screen", "[kModelKey]", "model"),
                ]
            ),
        )

    def test_one_leaked_knot_with_four_rings(self):
        (knot,) = self.cycles["knots"]
        self.assertEqual((knot["objects"], knot["contains_seed"]), (5, True))
        self.assertEqual((knot["verdict"], knot["certain"]), ("leaked", True))
        rings = {self.from_screen(ring) for ring in knot["rings"]}
        self.assertEqual(
            rings,
            {
                (("screen", "ivar"), ("block", "capture")),
                (("screen", "ivar"), ("array", "element")),
                (("screen", "association"), ("model", "ivar")),
                (("screen", "ivar"), ("block", "capture"), ("byref", "byref"), ("model", "ivar")),
            },
        )

    def test_ivar_ownership(self):
        level = self.ivars["levels"][0]
        self.assertEqual(level["class"], "Screen")
        self.assertEqual(
            [(ivar["name"], ivar["offset"], ivar["ownership"]) for ivar in level["ivars"]],
            [
                ("_handler", 8, "strong"),
                ("_delegate", 16, "weak"),
                ("_pair", 24, "strong"),
                ("_list", 40, "strong"),
            ],
        )
        self.assertEqual((level["strong_layout"], level["weak_layout"]), ("01 23", "11"))

    def test_block_captures(self):
        self.assertEqual(
            [(c["offset"], c["kind"]) for c in self.block["captures"]],
            [(32, "strong"), (40, "byref"), (48, "weak")],
        )
        self.assertEqual(self.block["block"]["storage"], "heap")
        self.assertEqual(self.block["block"]["retain_count"], 1)
        self.assertEqual(self.block["conflicts"], [])

    def test_the_leaf_is_held_by_what_a_frame_holds(self):
        (holder,) = self.incoming["holders"]
        self.assertEqual(self.edge(holder["edge"]), ("screen", "_pair.object", "leaf"))
        root = holder["root"]
        self.assertEqual((root["kind"], self.names[root["to"]]), ("stack", "screen"))
        self.assertEqual(root["thread"], 0)
        self.assertEqual(self.incoming["roots"], [])
        self.assertEqual([gap["what"] for gap in self.incoming["not_scanned"]],
                         ["autorelease-pools", "thread-local", "raw-memory"])

    def test_tagged_pointers_say_what_they_are(self):
        self.assertEqual([said for _, _, said in TAGGED],
                         [(answer["class"], answer["value"]) for answer in self.values])

    def test_address_inside_an_object_is_refused(self):
        self.assertEqual(self.nonsense["error"]["code"], "not-an-object")


def add_cases(name, **how):
    globals()[name] = type(name, (MachOCore, unittest.TestCase), how)


for one_form in FORMS:
    add_cases(f"MachOCore_{one_form.name}", form=one_form, ask=staticmethod(ask))
    for with_note in (True, False):
        add_cases(f"WithoutLldb_{one_form.name}_{'note' if with_note else 'headers'}",
                  form=one_form, ask=staticmethod(ask_without_lldb), note=with_note)


if __name__ == "__main__":
    if not shutil.which(LLDB):
        print(f"{LLDB}: there is no such lldb here")
        sys.exit(77)
    subprocess.run(
        [str(HERE / "build_programs.sh"), CLANG, LLD, tool("dsymutil"), WORK], check=True
    )
    unittest.main(argv=[sys.argv[0], "-v"])
