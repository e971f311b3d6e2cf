"""Names and lines of code against LLVM's addr2line and nm: of a process that has images compiled in every
way there is, and Debian's own libraries with and without their debug files.

usage: test_lines.py ASK_TARGET BUSY WRITTEN_C CC CLANG OBJCOPY ADDR2LINE; 77: skipped
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Dict, List, Tuple

ASK, BUSY, SOURCE, CC, CLANG, OBJCOPY, ADDR2LINE = sys.argv[1:]
SYMBOLS = 60  # of an image, each with two addresses


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


class Variant:
    def __init__(self, name: str, compiler: str, *options: str) -> None:
        self.name, self.compiler, self.options = name, compiler, options

    def build(self, folder: pathlib.Path) -> pathlib.Path:
        made = folder / f"lib{self.name}.so"
        run(self.compiler, "-shared", "-fPIC", *self.options, f"-DVARIANT={self.name}", "-o",
            str(made), SOURCE)
        return made


def variants() -> List[Variant]:
    made = [Variant(f"gcc{v}_{o}", CC, f"-gdwarf-{v}", f"-{o}") for v in (2, 3, 4, 5)
            for o in ("O0", "O2")]
    made += [Variant(f"clang{v}", CLANG, f"-gdwarf-{v}", "-O1") for v in (2, 3, 4, 5)]
    made += [Variant("wide4", CLANG, "-gdwarf-4", "-gdwarf64"),
             Variant("wide5", CLANG, "-gdwarf-5", "-gdwarf64"),
             Variant("wide_gcc", CC, "-gdwarf-5", "-gdwarf64"),
             Variant("sections", CC, "-g", "-O1", "-ffunction-sections", "-Wl,--gc-sections"),
             Variant("packed", CC, "-g", "-gz=zlib", "-Wl,--build-id"),
             Variant("packed_old", CC, "-g", "-gz=zlib-gnu"),
             Variant("no_lines", CC, "-g0")]
    return made


def split(folder: pathlib.Path, image: pathlib.Path, debug: pathlib.Path) -> None:
    """Moves the debug information of an image into a file beside it."""
    debug.parent.mkdir(exist_ok=True)
    run(OBJCOPY, "--only-keep-debug", str(image), str(debug))
    run(OBJCOPY, "--strip-all", f"--add-gnu-debuglink={debug}", str(image))


def compared(path: str) -> List[str]:
    """The parts of a path from its end on, without those that say nothing."""
    return [part for part in path.split("/") if part not in ("", ".")][::-1]


class Lines(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.images = {}
        for variant in variants():
            try:
                cls.images[variant.name] = variant.build(cls.folder)
            except AssertionError as problem:
                print(f"{variant.name}: skipped, {str(problem).splitlines()[-1]}")
        if "LOUPE_HAS_ZSTD" in os.environ:
            packed = Variant("packed_zstd", CC, "-g").build(cls.folder)
            done = subprocess.run([OBJCOPY, "--compress-debug-sections=zstd", packed], check=False)
            if done.returncode == 0:
                cls.images["packed_zstd"] = packed
        for name, debug in (("beside", "libbeside.debug"), ("below", ".debug/libbelow.debug")):
            # Without a build id the link alone leads to the file.
            image = Variant(name, CC, "-g", "-O1", "-Wl,--build-id=none").build(cls.folder)
            cls.whole = cls.folder / f"whole-{name}"
            shutil.copy(image, cls.whole)
            split(cls.folder, image, cls.folder / debug)
            cls.images[name] = image
        preload = ":".join(str(image) for image in cls.images.values())
        cls.program = subprocess.Popen([BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       text=True, env={"LD_PRELOAD": preload})
        assert cls.program.stdout
        cls.program.stdout.readline()
        cls.bias = {}
        for line in pathlib.Path(f"/proc/{cls.program.pid}/maps").read_text().splitlines():
            fields = line.split(maxsplit=5)
            if len(fields) == 6 and int(fields[2], 16) == 0:
                cls.bias.setdefault(fields[5], int(line.split("-")[0], 16))

    @classmethod
    def tearDownClass(cls) -> None:
        cls.program.communicate()
        cls.temporary.cleanup()

    def named(self, image: str, addresses: List[int]) -> List[Tuple[str, str]]:
        """The name with its offset, and the place, of addresses in the image's file."""
        bias = self.bias[image]
        shown = run(ASK, str(self.program.pid), "name", *(hex(a + bias) for a in addresses))
        return [tuple(line.split(" ", 2)[1:]) for line in shown.splitlines()]

    def functions(self, image: str) -> Dict[int, str]:
        rows = (line.split() for line in run("nm", "--defined-only", image).splitlines())
        return {int(row[0], 16): row[2] for row in rows if len(row) == 3 and row[1] in "tT"}

    def check_places(self, image: str, addresses: List[int], judge: str = ADDR2LINE) -> int:
        """How many places the judge knew."""
        told = run(judge, "-e", image, *map(hex, addresses)).splitlines()
        known = 0
        for address, expected, (_, place) in zip(addresses, told, self.named(image, addresses)):
            path, _, line = expected.partition(" (")[0].rpartition(":")
            if not line.isdigit() or line == "0":
                continue
            known += 1
            with self.subTest(image, address=hex(address), expected=expected):
                found, _, found_line = place.rpartition(":")
                self.assertEqual(line, found_line)
                # Before version 5 the table alone does not know the folder of the compiler.
                ours, theirs = compared(found), compared(path)
                self.assertEqual(ours, theirs[:len(ours)])
        return known

    def test_all_code_of_all_variants(self) -> None:
        for name, image in self.images.items():
            text = re.search(r"\.text\s+([0-9a-f]+) +([0-9a-f]+)", run("objdump", "-h", str(image)))
            assert text
            start = int(run("objdump", "-h", "-j", ".text", str(image)).split(".text")[1].split()[1], 16)
            size = int(text[1], 16)
            # LLVM knows nothing of the older way to pack.
            judge = "addr2line" if name == "packed_old" else ADDR2LINE
            known = self.check_places(str(image), list(range(start, start + size)), judge)
            self.assertEqual(name == "no_lines", known == 0, name)

    def test_lines_of_version_5_have_the_whole_path(self) -> None:
        image = str(self.images["gcc5_O0"])
        first = next(a for a, name in self.functions(image).items() if name.startswith("first"))
        [(name, place)] = self.named(image, [first])
        self.assertEqual(("first_gcc5_O0+0", f"{SOURCE}:13"), (name, place))

    def test_names_are_those_of_nm(self) -> None:
        for name, image in self.images.items():
            if name in ("beside", "below"):
                continue
            functions = {a: n for a, n in self.functions(str(image)).items() if "VARIANT" not in n}
            for address, (found, _) in zip(functions, self.named(str(image), list(functions))):
                self.assertEqual(f"{functions[address]}+0", found, name)

    def test_a_stripped_image_has_the_names_of_its_debug_file(self) -> None:
        functions = {n: a for a, n in self.functions(str(self.whole)).items()}
        [(found, _)] = self.named(str(self.images["below"]), [functions["second_below"] + 1])
        self.assertEqual("second_below+1", found)

    def test_debians_libraries(self) -> None:
        chance = random.Random(3)
        for image in sorted(self.bias):
            if "/lib/" not in image:
                continue
            symbols = run("nm", "-D", "--defined-only", image).splitlines()
            functions = sorted({int(s.split()[0], 16) for s in symbols if s.split()[1] in "TW"})
            sample = chance.sample(functions, min(SYMBOLS, len(functions)))
            addresses = [a + extra for a in sample for extra in (0, chance.randrange(200))]
            print(f"{image}: {self.check_places(image, addresses)} of {len(addresses)} places known")


if __name__ == "__main__":
    if not sys.platform.startswith("linux") or not all(map(shutil.which, (OBJCOPY, ADDR2LINE, "addr2line"))):
        print("skipped: needs Linux and binutils")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
