"""Snapshots and baselines of the first release that wrote them (older/, by commit a7e24c5): they open, count as they
did, and hide what they hid. And what is newer than this Loupe is refused with a sentence.

stale.loupe has a ring to which only words on the stack lead, lost.loupe the same ring a moment later, with nothing;
the baselines were written of lost.loupe; java.loupe has a ring of three Java objects.
"""
import json
import pathlib
import struct
import tempfile
from typing import Any, Dict

import tool

OLDER = pathlib.Path(__file__).parent / "older"
RING = "c5c706f451cbf47f"
FOUND, INCOMPLETE = 1, 2
VERSION_AT, SECTIONS_AT, FIRST_SECTION, SECTION_SIZE = 8, 12, 32, 24


class Older(tool.ToolTest):
    def ask(self, status: int, *words: str) -> Dict[str, Any]:
        done = self.run_tool(*words, "--json")
        self.assertEqual(status, done.returncode, done.stderr)
        answer: Dict[str, Any] = json.loads(done.stdout)
        return answer

    def test_leaks_count_as_they_did(self) -> None:
        for name, degree, lost in (("stale", "unowned", 1360), ("lost", "lost", 1424)):
            answer = self.ask(FOUND, "leaks", str(OLDER / f"{name}.loupe"))
            self.assertEqual("ok", answer["status"])
            self.assertEqual({"objects": 36, "others": 34, "bytes": 1424}, answer["leaked"])
            self.assertEqual(lost, answer["lost"]["bytes"])
            ring, raw = answer["leaks"]
            self.assertEqual((degree, 1, 64), (ring["degree"], ring["count"], ring["bytes"]))
            self.assertEqual(RING, ring["knot"]["older_fingerprint"])
            self.assertNotEqual(RING, ring["fingerprint"])  # it is told by what its block runs
            self.assertEqual((34, 1360), (raw["count"], raw["bytes"]))

    def test_baselines_hide_what_they_hid(self) -> None:
        for verb, kinds in (("leaks", 2), ("cycles", 1)):
            answer = self.ask(0, verb, str(OLDER / "lost.loupe"), "--baseline", str(OLDER / f"{verb}.baseline"))
            self.assertEqual(kinds, answer["hidden_by_baseline"])

    def test_heaps_of_java(self) -> None:
        answer = self.ask(0, "cycles", str(OLDER / "java.loupe"))
        [knot] = answer["knots"]
        self.assertEqual(("held", 3, "fc485b97aa85cbb9"), (knot["verdict"], knot["objects"], knot["fingerprint"]))
        self.assertEqual(20, answer["snapshot"]["objects"])

    def refused(self, content: bytes) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "newer.loupe"
            path.write_bytes(content)
            return self.refuse_file(str(path))

    def refuse_file(self, path: str) -> str:
        done = self.run_tool("leaks", path)
        self.assertEqual((2, b""), (done.returncode, done.stdout))
        [line] = done.stderr.decode().splitlines()
        return line

    def test_newer_files_are_refused_with_a_sentence(self) -> None:
        content = bytearray((OLDER / "lost.loupe").read_bytes())
        content[VERSION_AT] = 3
        self.assertIn("it is of another version than 1 or 2: write it again with the loupe that reads it",
                      self.refused(bytes(content)))

    def test_sections_to_come_are_passed_over(self) -> None:
        """As what this Loupe writes is by an older one."""
        content = bytearray((OLDER / "lost.loupe").read_bytes())
        [count] = struct.unpack_from("<I", content, SECTIONS_AT)
        numbers = [struct.unpack_from("<I", content, FIRST_SECTION + i * SECTION_SIZE)[0] for i in range(count)]
        dominators = numbers.index(23)
        struct.pack_into("<I", content, FIRST_SECTION + dominators * SECTION_SIZE, 9999)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "newer.loupe"
            path.write_bytes(content)
            self.assertEqual({"objects": 36, "others": 34, "bytes": 1424}, self.ask(FOUND, "leaks", str(path))["leaked"])
