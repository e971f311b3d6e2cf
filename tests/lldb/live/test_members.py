"""What C++ members own, by debug info: for every container, in every engine, on a core file too."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import session

PROGRAMS = session.BUILD / "tests" / "lldb" / "programs"
# One reference each, under the name that a person would write.
OWNED = {
    "vector[1].held", "list[1]", "forwardList[0]", "deque[69]", "dequeOfParts[39].held", "map[5]",
    "keys.key", "multimap[7].held", "set[*]", "hashed[3]", "unique->held", "uniqueArray[2]",
    "shared->held", "derived->held", "both->held", "tree->children[0]->held", "optional",
    "variant", "tuple.held", "array[1][0]", "function.target", "functions[0].target",
}
PROVIDER = """
import lldb
class Books:
    def __init__(self, value, _internal):
        self.value = value
    def num_children(self):
        return 1
    def get_child_at_index(self, index):
        book = self.value.GetChildMemberWithName("_storage")
        kind = self.value.GetTarget().GetBasicType(lldb.eBasicTypeObjCID)
        return book.Cast(kind)
    def update(self):
        return False
    def has_children(self):
        return True
"""


def programs():
    return [name for name in ("members", "members_libcxx") if (PROGRAMS / name).exists()]


class Members(unittest.TestCase):
    maxDiff = None

    def ask(self, program, *commands, core=None):
        results = session.carry_out([{"program": str(PROGRAMS / program), "stop": session.READY,
                                      "core": core, "commands": list(commands)}])
        self.assertEqual("", results[0]["problem"])
        for command in results[0]["commands"]:
            self.assertTrue(command["ok"], command)
        return [command["output"] for command in results[0]["commands"]]

    def check(self, program, answer):
        answer = json.loads(answer)
        # Old versions of lldb do not tell what a variant is over; nothing else is left out.
        unread = {member["name"] for member in answer.get("unread", [])}
        self.assertLessEqual(unread, {"variant"})
        self.assertEqual(["C++ member"] if unread else [],
                         [item["reason"] for item in answer["not_followed"]])
        # What was not read, an engine may guess at.
        edges = [edge for edge in answer["edges"] if edge["name"] not in unread]
        found = [edge["path"] for edge in edges]
        # The key of `named` is shown where debug info describes the string.
        named = [path for path in found if path.startswith("named[")]
        self.assertIn(named, (['named["title"]'], ["named[*]"]))
        self.assertEqual(sorted(OWNED - unread), sorted(set(found) - set(named)), program)
        self.assertEqual(len(OWNED - unread) + 1, len(found))
        self.assertEqual({"strong"}, {edge["ownership"] for edge in edges})

    def test_each_container_is_followed_by_both_engines(self):
        for program in programs():
            for answer in self.ask(program, "strong-refs -j --engine memory seed",
                                   "strong-refs -j --engine helper seed"):
                self.check(program, answer)

    def test_containers_of_other_libraries_are_counted(self):
        for program in programs():
            for answer in self.ask(program, "strong-refs -j --engine memory guest",
                                   "strong-refs -j --engine helper guest"):
                unread = {member["name"]: member["why"] for member in json.loads(answer)["unread"]}
                self.assertEqual({"objects", "parts"}, set(unread))
                for why in unread.values():
                    self.assertRegex(why, r"Foreign<.*>: what its pointers lead to is not known")

    @unittest.skipUnless(shutil.which("gdb"), "core files are saved by gdb")
    def test_each_container_is_followed_on_a_core_file(self):
        with tempfile.TemporaryDirectory() as directory:
            core = str(pathlib.Path(directory) / "core")
            subprocess.run(["gdb", "-nx", "-batch", "-ex", "set startup-with-shell off",
                            "-ex", f"break {session.READY}", "-ex", "run",
                            "-ex", f"generate-core-file {core}", "-ex", "kill",
                            str(PROGRAMS / "members")], stdin=subprocess.DEVNULL, check=False,
                           capture_output=True, timeout=session.TIMEOUT)
            answer, = self.ask("members", "strong-refs -j --engine memory seed", core=core)
            self.check("members", answer)

    def test_without_debug_info_members_are_counted_with_their_types(self):
        with tempfile.TemporaryDirectory() as directory:
            bare = pathlib.Path(directory) / "bare"
            subprocess.run(["objcopy", "--strip-debug", str(PROGRAMS / "members"), str(bare)],
                           check=True)
            answer, text = self.ask(bare, "strong-refs -j -- *(void **)&theSeed",
                                    "strong-refs -- *(void **)&theSeed")
            members = {member["name"]: member for member in json.loads(answer)["unread"]
                       if not member["guessed"]}
            self.assertLessEqual({"vector", "map", "unique", "function"}, set(members))
            self.assertNotIn("noWeak", members)
            self.assertEqual("vector<Part, std::allocator<Part>>", members["vector"]["type"])
            self.assertIn("C++ member (", text)
            self.assertIn("vector of All, a vector<Part>", text)

    def test_children_of_a_formatter_are_followed_and_say_so(self):
        with tempfile.TemporaryDirectory() as directory:
            module = pathlib.Path(directory) / "shelves.py"
            module.write_text(PROVIDER, encoding="utf-8")
            before, *_, memory, helper = self.ask(
                "members", "strong-refs -j --engine memory shelf",
                f'command script import "{module}"',
                "type synthetic add -l shelves.Books Shelf",
                "strong-refs -j --engine memory shelf", "strong-refs -j --engine helper shelf")
            self.assertEqual(["collection of an unknown layout"],
                             [item["reason"] for item in json.loads(before)["not_followed"]])
            for answer in map(json.loads, (memory, helper)):
                self.assertEqual([], answer["not_followed"])
                edge, = answer["edges"]
                self.assertEqual(("element", "[0]", "formatter"),
                                 (edge["kind"], edge["path"], edge["evidence"]))


if __name__ == "__main__":
    unittest.main()
