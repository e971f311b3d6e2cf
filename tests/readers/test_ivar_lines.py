"""Lines of ivars that `loupe ivar-lines` finds in what gcc and clang make, against the source.

usage: test_ivar_lines.py LOUPE SOURCE_M GCC CLANG OBJCOPY
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from typing import Dict, List, Tuple

LOUPE, SOURCE, GCC, CLANG, OBJCOPY = sys.argv[1:]
ARC = ("-fobjc-arc", "-Xclang", "-fobjc-runtime-has-weak")
GNUSTEP = (CLANG, "-fobjc-runtime=gnustep-2.0", *ARC)
APPLE = (CLANG, "-target", "arm64-apple-macos13", *ARC)


def expected(is_clang: bool) -> Dict[str, int]:
    found: Dict[str, int] = {}
    for number, line in enumerate(pathlib.Path(SOURCE).read_text().splitlines(), start=1):
        match = re.search(r"// (\w+\.\w+)$", line)
        if match and (is_clang or match.group(1) in ("Base.first", "Screen.delegate",
                                                     "Screen.both")):
            found[match.group(1)] = number
    return found


def told(*files: pathlib.Path) -> Dict[str, Tuple[int, str]]:
    done = subprocess.run([LOUPE, "ivar-lines", *map(str, files)], capture_output=True, text=True,
                          check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return {row[1]: (int(row[2]), pathlib.Path(row[3]).name) for row in rows}


class IvarLines(unittest.TestCase):
    def setUp(self) -> None:
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def build(self, *command: str) -> pathlib.Path:
        made = self.folder / "made.o"
        done = subprocess.run([*command, "-x", "objective-c", "-c", SOURCE, "-o", str(made)],
                              capture_output=True, text=True, check=False)
        if command[0] == GCC and "not installed" in done.stderr:
            self.skipTest("gcc has no Objective-C here")
        self.assertEqual(done.returncode, 0, done.stderr)
        return made

    def linked(self, *command: str) -> pathlib.Path:
        """Sections of objects still want their relocations."""
        made = self.build(*command, "-fPIC")
        image = self.folder / "made.so"
        subprocess.run(["gcc", "-shared", "-nostdlib", "-Wl,--unresolved-symbols=ignore-all",
                        str(made), "-o", str(image)], check=True)
        return image

    def check(self, lines: Dict[str, Tuple[int, str]], is_clang: bool) -> None:
        self.assertEqual({name: line for name, (line, _) in lines.items()}, expected(is_clang))
        self.assertEqual({file for _, file in lines.values()}, {pathlib.Path(SOURCE).name})

    def test_source_is_as_this_test_has_it(self) -> None:
        self.assertEqual((len(expected(False)), len(expected(True))), (3, 7))

    def test_gcc(self) -> None:
        for options in (("-gdwarf-4",), ("-gdwarf-5",), ("-gdwarf-5", "-gdwarf64"), ("-g", "-O2")):
            for standard in ((), ("-std=gnu99",)):  # of which gcc says that it is C
                with self.subTest(options=options, standard=standard):
                    self.check(told(self.linked(GCC, *options, *standard)), False)

    def test_clang_for_libobjc2(self) -> None:
        for options in (("-gdwarf-4",), ("-gdwarf-5",), ("-gdwarf-5", "-gdwarf64"), ("-g", "-O2")):
            with self.subTest(options=options):
                self.check(told(self.linked(*GNUSTEP, *options)), True)

    def test_clang_for_darwin(self) -> None:
        for options in (("-gdwarf-4",), ("-gdwarf-5",)):
            with self.subTest(options=options):
                self.check(told(self.build(*APPLE, *options)), True)

    def test_packed_sections_and_files_beside(self) -> None:
        image = self.linked(*GNUSTEP, "-g")
        debug, packed = self.folder / "made.debug", self.folder / "packed.so"
        subprocess.run([OBJCOPY, "--only-keep-debug", image, debug], check=True)
        subprocess.run([OBJCOPY, "--compress-debug-sections=zlib", image, packed], check=True)
        subprocess.run([OBJCOPY, "--strip-all", image], check=True)
        self.check(told(packed), True)
        self.assertEqual(told(image), {})
        self.check(told(image, debug), True)

    def test_what_tells_nothing(self) -> None:
        empty = self.folder / "empty"
        empty.write_bytes(b"")
        files: List[pathlib.Path] = [empty, self.folder / "absent", pathlib.Path(SOURCE)]
        self.assertEqual(told(*files), {})
        self.assertEqual(told(self.linked(*GNUSTEP, "-g0")), {})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
