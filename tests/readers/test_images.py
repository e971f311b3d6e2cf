"""The reader of images against what LLVM's tools say of the same files: ELF and Mach-O, of 32 and of
64 bits, linked here for machines that this is not.

usage: test_images.py SHOW_IMAGE SYMBOLS_C CLANG LD_LLD LD64_LLD NM OBJDUMP; 77: skipped
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Dict, List, Tuple

SHOW, SOURCE, CLANG, LD_LLD, LD64_LLD, NM, OBJDUMP = sys.argv[1:]
ELF = {"x86_64-linux-gnu": 8, "aarch64-linux-gnu": 8, "i386-linux-gnu": 4, "arm-linux-gnueabi": 4}
MACHO = {"x86_64-apple-macos11": 8, "arm64-apple-macos11": 8, "arm64_32-apple-watchos5": 4}
VARIABLES = {"exported_variable": 0x10000001, "variable_in_a_section": 0x10000002,
             "local_variable": 0x10000003, "zeroed_variable": 0, "exported_constant": 0x10000004}
EXPORTED = ("exported_variable", "exported_function", "exported_constant")


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def link(target: str, folder: pathlib.Path, *options: str, source: str = SOURCE,
         compiled: Tuple[str, ...] = ()) -> str:
    made, image = str(folder / "symbols.o"), str(folder / target)
    run(CLANG, f"--target={target}", "-O1", "-fPIC", *compiled, "-c", "-o", made, source)
    if target in ELF:
        run(LD_LLD, "-shared", "--build-id=sha1", "--hash-style=gnu", "-o", image, made, *options)
    else:
        system, version = ("watchos", "5") if "watchos" in target else ("macos", "11")
        run(LD64_LLD, "-arch", target.split("-")[0], "-platform_version", system, version, version,
            "-dylib", "-undefined", "dynamic_lookup", "-o", image, made, *options)
    return image


class Shown:
    """What show_image printed."""

    def __init__(self, image: str, *names: str) -> None:
        self.lines = run(SHOW, image, *names).splitlines()

    def of(self, kind: str) -> List[List[str]]:
        return [line.split()[1:] for line in self.lines if line.split()[0] == kind]

    def symbols(self, kind: str) -> Dict[str, List[str]]:
        return {name: rest for name, *rest in self.of(kind)}


def nm(image: str, prefix: str, *options: str) -> Dict[str, Tuple[str, str]]:
    """By C name: the kind and the address in the file."""
    rows = [line.split() for line in run(NM, "--format=posix", *options, image).splitlines()]
    return {row[0][len(prefix):]: (row[1], hex(int(row[2], 16))) for row in rows if len(row) > 2}


class Images(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check_symbols(self, target: str, found: Dict[str, List[str]],
                      expected: Dict[str, Tuple[str, str]]) -> None:
        for name, (kind, address) in expected.items():
            if name in ("_DYNAMIC", "dyld_private"):  # of the linker
                continue
            if name == "variable_of_each_thread":  # at no single address
                self.assertNotIn(name, found)
                continue
            with self.subTest(target, name=name):
                self.assertEqual("imported" if kind == "U" else address, found[name][0])
                if name in VARIABLES:
                    self.assertEqual(f"{VARIABLES[name]:x}", found[name][1])

    def test_all_symbols_are_those_of_nm(self) -> None:
        for target in [*ELF, *MACHO]:
            image = link(target, self.folder)
            expected = nm(image, "" if target in ELF else "_")
            self.assertLessEqual({*VARIABLES, "local_function", "imported_variable"}, set(expected))
            shown = Shown(image)
            self.check_symbols(target, shown.symbols("in-file"), expected)
            self.assertEqual([[str({**ELF, **MACHO}[target])]], shown.of("pointer"))

    def test_loaded_symbols_are_the_exported_ones_of_elf_and_all_of_macho(self) -> None:
        for target in [*ELF, *MACHO]:
            image = link(target, self.folder)
            expected = nm(image, "", "-D") if target in ELF else nm(image, "_")
            self.check_symbols(target, Shown(image).symbols("in-memory"), expected)

    def test_exports_are_found_by_the_table_of_the_loader(self) -> None:
        for target in [*ELF, *MACHO]:
            image = link(target, self.folder)
            expected = nm(image, "" if target in ELF else "_")
            others = ("local_function", "imported_variable", "no_such_symbol", "")
            found = Shown(image, *EXPORTED, *others).symbols("export")
            for name in EXPORTED:
                self.assertEqual([expected[name][1]], found[name], (target, name))
            for name in others[:-1]:
                self.assertEqual(["none"], found[name], (target, name))

    def test_sections_are_those_of_objdump(self) -> None:
        for target in [*ELF, *MACHO]:
            image = link(target, self.folder)
            expected = {name: (int(address, 16), int(size, 16)) for name, size, address in re.findall(
                r"^ +\d+ (\S+) +([0-9a-f]+) ([0-9a-f]+) (?:TEXT|DATA|BSS)", run(OBJDUMP, "-h", image),
                re.M)}
            found = {name.split(",")[-1]: (int(start, 16), int(size, 16))
                     for name, start, size, *_ in Shown(image).of("section")}
            self.assertTrue(expected)
            for name, place in expected.items():
                # The tool prints "__DATA" sections by the section's name alone.
                if place[1] and not name.startswith((".comment", ".symtab", ".strtab", ".shstrtab")):
                    self.assertEqual(place, found[name], (target, name))
            kinds = {name.split(",")[-1]: rest for name, _, _, *rest in Shown(image).of("section")}
            self.assertEqual(["writable"], kinds["named"])
            zeroed = ".bss" if target in ELF else "__bss"
            self.assertEqual(["writable", "zeroed"], kinds[zeroed])
            self.assertEqual([[".tdata"]] if target in ELF else [],
                             Shown(image).of("per-thread"), target)

    def test_places_are_named_by_what_covers_them(self) -> None:
        for target in [name for name in MACHO if "arm64_32" not in name]:
            image = link(target, self.folder)
            known = {name: int(address, 16) for name, (_, address) in nm(image, "_").items()}
            local, exported = known["local_function"], known["exported_function"]
            sections = {name: (int(start, 16), int(size, 16))
                        for name, start, size, *_ in Shown(image).of("section")}
            text, unwind = sections["__TEXT,__text"], sections["__TEXT,__unwind_info"]
            places = {exported: "exported_function", exported + 1: "exported_function",
                      local + 1: "local_function", text[0] - 1: "none", unwind[0]: "none",
                      unwind[0] + unwind[1] - 1: "none"}
            self.check_places(image, places)
            # What has no symbol is not named by the one before: the list of functions tells.
            places[local + 1] = "none"
            self.check_places(link(target, self.folder, "-x"), places)

    def check_places(self, image: str, places: Dict[int, str]) -> None:
        asked = [f"@{place:x}" for place in places]
        self.assertEqual([[place, name] for place, name in zip(asked, places.values())],
                         Shown(image, *asked).of("place"))

    def test_notes_for_debuggers_are_no_symbols(self) -> None:
        for target in MACHO:
            image = link(target, self.folder, compiled=("-g",))
            every = run(NM, "--format=posix", "-a", image).splitlines()
            self.assertTrue([line for line in every if line.split()[1:2] == ["-"]], every)
            self.check_symbols(target, Shown(image).symbols("in-file"), nm(image, "_"))
            self.assertEqual(set(nm(image, "_")), set(Shown(image).symbols("in-file")))

    def test_stubs_are_those_of_objdump(self) -> None:
        source = self.folder / "caller.c"
        source.write_text("int far(int); int farther(int);\n"
                          "int near(int a) { return far(a) + farther(a); }\n")
        for target in [name for name in MACHO if "arm64_32" not in name]:
            image = link(target, self.folder, source=str(source))
            expected = {name[1:]: hex(int(address, 16)) for address, name in re.findall(
                r"^(0x\w+) +\d+ (_far\w*)$",
                run(OBJDUMP, "--macho", "--indirect-symbols", image).split("__stubs)")[1].split(
                    "Indirect")[0], re.M)}
            self.assertEqual({"far", "farther"}, set(expected))
            found = {name: address for name, address, _ in Shown(image).of("stub")}
            self.assertEqual(expected, found, target)

    def test_libraries_are_those_that_it_was_linked_to(self) -> None:
        for target in [*ELF, *MACHO]:
            name = "libother.so" if target in ELF else "@rpath/libother.dylib"
            other = self.folder / "other"
            options = ("-soname", name) if target in ELF else ("-install_name", name)
            shutil.copy(link(target, self.folder, *options), other)
            shown = Shown(link(target, self.folder, str(other)))
            self.assertEqual([[name]], shown.of("library"), target)

    def test_a_stripped_file_still_has_what_it_exports(self) -> None:
        for target in ELF:
            found = Shown(link(target, self.folder, "--strip-all")).symbols("in-file")
            self.assertIn("exported_function", found)
            self.assertNotIn("local_function", found)

    def test_the_id_is_that_of_the_linker(self) -> None:
        for target in [*ELF, *MACHO]:
            image = link(target, self.folder)
            [[number]] = Shown(image).of("id")
            self.assertEqual(40 if target in ELF else 32, len(number))
            self.assertIn(bytes.fromhex(number), pathlib.Path(image).read_bytes())

    def test_a_file_that_was_cut_off_gives_no_symbol_that_is_not_there(self) -> None:
        for target in [*ELF, *MACHO]:
            image = link(target, self.folder)
            whole = pathlib.Path(image).read_bytes()
            expected = Shown(image).symbols("in-file")
            for size in range(0, len(whole), max(1, len(whole) // 60)):
                pathlib.Path(image).write_bytes(whole[:size])
                done = subprocess.run([SHOW, image], capture_output=True, text=True, check=False)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                for line in done.stdout.splitlines():
                    if line.startswith("in-file"):
                        self.assertIn(line.split()[1], expected)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
