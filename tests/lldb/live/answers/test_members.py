"""What C++ members own, by debug info: for every container, in every engine, on a core file too."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import session

sys.path.insert(0, str(session.SUPPORT))
from share import is_whole, share_of  # noqa: E402

PROGRAMS = session.BUILD / "tests" / "lldb" / "programs"
# One reference each, under the name that a person would write.
OWNED = {
    "vector[1].held", "list[1]", "forwardList[0]", "deque[69]", "dequeOfParts[39].held", "map[5]",
    "keys.key", "multimap[7].held", "set[*]", "hashed[3]", "unique->held", "uniqueArray[2]",
    "shared->held", "derived->held", "both->held", "last->held", "tree->children[0]->held", "optional",
    "variant", "tuple.held", "array[1][0]", "function.target", "functions[0].target", "any",
    "largeAny.held", "anyFunction.target", "future", "sharedFuture.held", "promise",
    "deferred->target", "task->target", "engine.part->held", "engines->part->held",
}
# lldb 14 does not tell which destructor is theirs, nor that the last one has none.
LAMBDAS = {"anyFunction.target", "deferred->target", "task->target", "noRawFunction.raw"}
# Who holds the seed of captures.mm. Each is a reference that the seed counts under ARC, which counts
# one more for a local variable.
CAPTURED = {
    "captured[0]", "capturedPart.held", "capturedDerived.held", "capturedDerived.more[0]",
    "capturedMixed.first", "capturedMixed.second", "vector[1]", "unique->held", "shared->held",
    "function.target", "optional", "part.held", "derived.held", "derived.more[0]", "mixed.first",
    "mixed.second",
}
# Without ARC copies of plain pointers are no C++ objects, weak and unretained ones no different.
CAPTURED_MANUALLY = CAPTURED - {"capturedMixed.first", "capturedMixed.second", "function.target"} | {
    "capturedPart.watched", "part.watched", "noRaw.raw", "noCapturedRaw.raw"}
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


def programs(name):
    """With libstdc++, and with libc++ where it is installed."""
    return share_of(name for name in (name, f"{name}_libcxx") if (PROGRAMS / name).exists())


class Asking(unittest.TestCase):
    maxDiff = None

    def ask(self, program, *commands, core=None, arguments=None):
        results = session.carry_out([{"program": str(PROGRAMS / program), "stop": session.READY,
                                      "core": core, "arguments": arguments,
                                      "commands": list(commands)}])
        self.assertEqual("", results[0]["problem"])
        for command in results[0]["commands"]:
            self.assertTrue(command["ok"], command)
        return [command["output"] for command in results[0]["commands"]]

    def ask_core(self, program, command):
        with tempfile.TemporaryDirectory() as directory:
            core = str(pathlib.Path(directory) / "core")
            session.save_core(core, PROGRAMS / program)
            answer, = self.ask(program, command, core=core)
            return answer


class Members(Asking):
    def check(self, program, answer):
        answer = json.loads(answer)
        # Old versions of lldb do not tell what a variant is over; nothing else is left out.
        unread = {member["name"] for member in answer.get("unread", [])}
        self.assertLessEqual(unread, {"variant"})
        self.assertEqual(["C++ members"] if unread else [],
                         [item["reason"] for item in answer["not_followed"]])
        # What was not read, an engine may guess at.
        edges = [edge for edge in answer["edges"] if edge["name"] not in unread]
        found = [edge["path"] for edge in edges
                 if not unread or edge["path"] in OWNED or edge["path"] not in LAMBDAS]
        # The key of `named` is shown where debug info describes the string.
        named = [path for path in found if path.startswith("named[")]
        self.assertIn(named, (['named["title"]'], ["named[*]"]))
        self.assertEqual(sorted(OWNED - unread), sorted(set(found) - set(named)), program)
        self.assertEqual(len(OWNED - unread) + 1, len(found))
        doubted = {edge["path"] for edge in edges if edge["ownership"] != "strong"}
        self.assertLessEqual(doubted, LAMBDAS if unread else set())

    def test_optimised_code_is_followed_and_doubted(self):
        for answer in self.ask("members_optimised", "strong-refs -j --engine memory seed",
                               "strong-refs -j --engine helper seed"):
            answer = json.loads(answer)
            unread = {member["name"] for member in answer.get("unread", [])}
            self.assertEqual({"engine", "engines"}, unread - {"variant"})
            found = {edge["path"]: edge["ownership"] for edge in answer["edges"]}
            missing = OWNED - set(found)
            self.assertLessEqual({re.split(r"\W", path)[0] for path in missing}, unread)
            # What a destructor would tell, or the type itself.
            self.assertEqual("strong", found["derived->held"])
            self.assertEqual("strong", found["list[1]"])
            others = {path: found[path] for path in set(found) - OWNED - {'named["title"]'}}
            self.assertLessEqual({"noPlain->raw"}, set(others))
            self.assertEqual({("raw", "assumed")}, {
                (path[-3:], ownership) for path, ownership in others.items()})

    def test_each_container_is_followed_by_both_engines(self):
        for program in programs("members"):
            for answer in self.ask(program, "strong-refs -j --engine memory seed",
                                   "strong-refs -j --engine helper seed"):
                self.check(program, answer)

    def test_unions_and_containers_of_other_libraries_are_counted(self):
        for program in programs("members"):
            text, *answers = self.ask(program, "strong-refs guest",
                                      "strong-refs -j --engine memory guest",
                                      "strong-refs -j --engine helper guest")
            self.assertRegex(text, r"C\+\+ members \(3, such as 0x\w+: Guest's objects: Foreign<.*>: "
                                   r"what its pointers point to is not known\)")
            for answer in answers:
                # Clang 19 writes delete[] in a way that does not tell what is deleted: then it is
                # the pointer in "parts" that is counted.
                unread = {member["name"].split(".")[0]: member["why"]
                          for member in json.loads(answer)["unread"]}
                self.assertEqual({"objects", "parts", "choice"}, set(unread))
                self.assertRegex(unread["objects"],
                                 r"Foreign<.*>: what its pointers point to is not known")
                self.assertRegex(unread["parts"], r"Foreign<Part>: what its (pointers point to|"
                                                  r"destructor deletes) is not known")
                self.assertEqual("choice: Choice: which member of a union is there is not known",
                                 unread["choice"])

    @unittest.skipUnless(shutil.which("gdb"), "core files are saved by gdb")
    def test_each_container_is_followed_on_a_core_file(self):
        self.check("members", self.ask_core("members", "strong-refs -j --engine memory seed"))

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
            self.assertIn("C++ members (", text)
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
            # The pointer that keeps the book stays one, whoever else knows about it.
            pointer = ["C pointers to an object"]
            self.assertEqual([*pointer, "collections of an unknown layout"],
                             [item["reason"] for item in json.loads(before)["not_followed"]])
            for answer in map(json.loads, (memory, helper)):
                self.assertEqual(pointer, [item["reason"] for item in answer["not_followed"]])
                edge, = answer["edges"]
                self.assertEqual(("element", "[0]", "formatter"),
                                 (edge["kind"], edge["path"], edge["evidence"]))


class Collections(unittest.TestCase):
    """Collections that cannot be read: what their class declares is not what they hold."""

    def test_an_impossible_count_is_not_read_by_the_ivars_of_the_class(self):
        array = "frame.FindVariable('seed').GetChildMemberWithName('_items').GetValueAsUnsigned()"
        for engine in ("memory", "helper"):
            results = session.carry_out([{
                "program": session.fixture("array_member"), "stop": session.READY, "commands": [
                    f"retain-cycles -j --engine {engine} seed",
                    f"!process.WriteMemory({array} + 36, b'\\xff' * 4, lldb.SBError())",
                    f"retain-cycles -j --engine {engine} seed"]}])
            before, written, after = (command["output"] for command in results[0]["commands"])
            self.assertEqual((1, "4"), (len(json.loads(before)["knots"]), written))
            after = json.loads(after)
            self.assertEqual([], after["knots"])
            self.assertEqual(["collections of an unknown layout"],
                             [item["reason"] for item in after["not_followed"]])


class Names(Asking):
    def test_members_without_names_get_those_of_debug_info(self):
        look = ("!__import__('lldb_commands.names.member_names', fromlist=['x'])"
                ".MemberNames(target).named('Owner', '{}')")
        paths = {"_deep.1.1.1": "_deep.middle.core.peer", "_wide.0.title": "_wide.head.title",
                 "_deep.9.1": "_deep.9.1", "_none.1": "_none.1", "_wide[0].1": "_wide[0].1"}
        results = session.carry_out([{
            "program": session.fixture("struct_ivar_nested"), "stop": session.READY,
            "commands": [look.format(path) for path in paths]}])
        self.assertEqual(list(paths.values()),
                         [command["output"] for command in results[0]["commands"]])

    def test_lambdas_are_named_by_their_place(self):
        source = (session.SOURCE / "tests/lldb/programs/links.mm").read_text(encoding="utf-8")
        line = 1 + source[:source.index("[self] {")].count("\n")
        text, answer = self.ask("links", "retain-cycles called", "retain-cycles -j called")
        self.assertIn(f"handler.self  lambda at links.mm:{line}  → Called", text)
        self.assertIn(f"• capture self weakly in the lambda at links.mm:{line}", text)
        edge, = json.loads(answer)["knots"][0]["rings"][0]["edges"]
        self.assertEqual({"file": "links.mm", "line": line}, edge["lambda"])


@unittest.skipUnless(is_whole(), "with the long tests")
class Rounds(Asking):
    """Rings that take many questions to be found."""

    def check_ring(self, answer, length):
        answer = json.loads(answer)
        self.assertEqual(("ok", []), (answer["status"], answer["not_followed"]))
        ring, = answer["knots"][0]["rings"]
        self.assertEqual(length, ring["length"])

    def test_rings_of_a_hundred_members_are_found_by_both_engines(self):
        for engine in ("memory", "helper"):
            for seed, length in ("seed", 100), ("train", 200), ("crates", 200):
                answer, = self.ask("links", f"retain-cycles -j --engine {engine} {seed}")
                self.check_ring(answer, length)

    def test_any_number_of_rounds_is_made(self):
        """Each crate takes one."""
        for engine in ("memory", "helper"):
            answer, = self.ask("links", f"retain-cycles -j -t 100 --engine {engine} crates",
                               arguments=["3000"])
            self.check_ring(answer, 6000)

    def test_a_time_limit_between_questions_leaves_the_answer_incomplete(self):
        for engine in ("memory", "helper"):
            out, text = self.ask("links", f"retain-cycles -j -t 1 --engine {engine} crates",
                                 f"retain-cycles -t 1 --engine {engine} crates",
                                 arguments=["40000"])
            answer = json.loads(out)
            self.assertEqual("incomplete", answer["status"], engine)
            self.assertEqual({"objects left when the search was interrupted"},
                             {item["reason"] for item in answer["not_followed"]} - {"C++ members"})
            self.assertIn("No retain cycle found from crates", text)


class Captures(Asking):
    """C++ objects that blocks capture, and those in __block variables."""

    def check(self, answer, owned, ownership):
        answer = json.loads(answer)
        self.assertEqual([], answer["not_followed"])
        self.assertNotIn("unread", answer)
        edges = [holder["edge"] for holder in answer["holders"]]
        self.assertEqual(sorted(owned), sorted(edge["path"] for edge in edges))
        self.assertEqual({ownership}, {edge["ownership"] for edge in edges})
        return answer

    def check_arc(self, answer):
        counts = self.check(answer, CAPTURED, "strong")["counts"]
        self.assertEqual((len(CAPTURED), len(CAPTURED) + 1), (counts["found"], counts["retains"]))

    def test_all_that_arc_retains_is_found_by_both_engines(self):
        for program in programs("captures"):
            for answer in self.ask(program, "strong-refs --incoming --from seed -j --engine memory seed",
                                   "strong-refs --incoming --from seed -j --engine helper seed"):
                self.check_arc(answer)

    @unittest.skipUnless(shutil.which("gdb"), "core files are saved by gdb")
    def test_all_that_arc_retains_is_found_on_a_core_file(self):
        self.check_arc(self.ask_core("captures", "strong-refs --incoming --from seed -j --engine memory seed"))

    def test_without_arc_all_but_what_a_destructor_releases_is_assumed(self):
        for answer in self.ask("captures_manual", "strong-refs --incoming --from seed -j --engine memory seed",
                               "strong-refs --incoming --from seed -j --engine helper seed"):
            answer = json.loads(answer)
            strong = [holder for holder in answer["holders"]
                      if holder["edge"]["ownership"] == "strong"]
            self.assertEqual(["retained.object"], [holder["edge"]["path"] for holder in strong])
            answer["holders"].remove(strong[0])
            self.check(json.dumps(answer), CAPTURED_MANUALLY, "assumed")

    def test_rings_through_shared_variables_are_named(self):
        for engine in ("memory", "helper"):
            answer, = self.ask("captures", f"retain-cycles -j -n 50 --engine {engine} seed")
            knot, = json.loads(answer)["knots"]
            rings = {" ".join(edge["path"] for edge in ring["edges"]) for ring in knot["rings"]}
            self.assertLessEqual({"vector vector vector[1]", "part part part.held",
                                  "function function function.target"}, rings)
            self.assertTrue(knot["certain"])

    def test_owners_of_one_shared_object_are_one_retain(self):
        for program in programs("captures"):
            for engine in ("memory", "helper"):
                sharing, apart = self.ask(
                    program, f"retain-cycles -j -n 5 --engine {engine} (id)sharing",
                    f"retain-cycles -j -n 5 --engine {engine} (id)apart")
                for answer, retains in (sharing, 1), (apart, 2):
                    knot, = json.loads(answer)["knots"]
                    self.assertEqual(("leaked", 2), (knot["verdict"], knot["edges"]))
                    self.assertEqual(retains, knot["counts"]["retains"])

    def test_without_debug_info_shared_variables_are_counted(self):
        with tempfile.TemporaryDirectory() as directory:
            bare = pathlib.Path(directory) / "bare"
            subprocess.run(["objcopy", "--strip-debug", str(PROGRAMS / "captures"), str(bare)],
                           check=True)
            answer, = self.ask(bare, "retain-cycles -j -- **(void ***)&theSeed")
            self.assertIn("__block variables without a layout",
                          [item["reason"] for item in json.loads(answer)["not_followed"]])


if __name__ == "__main__":
    unittest.main()
