"""Package.swift: what it names is there and is what CMake builds, and it makes a working library.

usage: test_swift_package.py SOURCES COMPILER ASSERTIONS LOUPE WORK_FOLDER

There is no Swift here: the manifest is read as text, its sources are compiled with the
settings that it says, and a program that was linked to CMake's library is run with this one.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCES, COMPILER, ASSERTIONS, LOUPE, WORK = sys.argv[1:]
ROOT = pathlib.Path(SOURCES)
MANIFEST = (ROOT / "Package.swift").read_text(encoding="utf-8")
EXTENSIONS = (".c", ".S", ".m", ".mm", ".cpp")


def strings(text):
    return re.findall(r'"([^"]*)"', re.sub(r"^\s*//.*$", "", text, flags=re.M))


def named(pattern):
    return strings(re.search(pattern, MANIFEST, re.S)[1])


def other_systems(is_linux):
    linux, darwin = re.search(r"#if os\(Linux\)(.*?)#else(.*?)#endif", MANIFEST, re.S).groups()
    return strings(linux if is_linux else darwin)


def files(is_linux):
    """Those that Swift Package Manager would compile."""
    excluded = {*other_systems(is_linux), *named(r"exclude: ofOtherSystems \+ \[(.*?)\]")}
    found = []
    for name in named(r"sources: \[(.*?)\]"):
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            relative = file.relative_to(ROOT).as_posix()
            if file.suffix in EXTENSIONS and relative not in excluded:
                found.append(relative)
    return found


def of_cmake(folder):
    """The sources that a CMakeLists.txt names."""
    text = (ROOT / folder / "CMakeLists.txt").read_text(encoding="utf-8")
    return {f"{folder}/{name}" for name in re.findall(r"(?<![\w/}.-])([\w/]+\.(?:c|S))\b", text)}


class Manifest(unittest.TestCase):
    def test_every_path_is_there(self):
        paths = [*other_systems(True), *other_systems(False),
                 *named(r"exclude: ofOtherSystems \+ \[(.*?)\]"), *named(r"sources: \[(.*?)\]"),
                 *named(r"publicHeadersPath: (\"\w+\")"),
                 *re.findall(r'headerSearchPath\("([^"]+)"\)', MANIFEST)]
        self.assertGreater(len(paths), 30)
        for path in paths:
            self.assertTrue((ROOT / path).exists(), path)

    def test_the_module_has_the_headers_that_are_installed(self):
        text = (ROOT / "testing/module.modulemap").read_text(encoding="utf-8")
        self.assertEqual({path.name for path in (ROOT / "testing").glob("[lL]oupe*.h")},
                         set(re.findall(r'header "([^"]+)"', text)))

    def test_each_system_has_what_is_its_own_and_nothing_of_others(self):
        for is_linux, other in ((True, "_darwin"), (False, "_linux")):
            self.assertEqual([], [name for name in files(is_linux) if other in name])
            self.assertGreater(len(files(is_linux)), 300)
        linux, darwin = set(files(True)), set(files(False))
        self.assertEqual({"_darwin"}, {re.sub(r".*(_\w+)\.c", r"\1", name)
                                       for name in darwin - linux})

    def test_it_is_what_cmake_builds(self):
        """The helper, libloupe_watch and libloupe_testing, but for what is no package's."""
        wanted = set()
        for folder in ("core", "answers", "helper", "watch", "run_tool", "testing"):
            wanted |= of_cmake(folder)
        wanted |= {name for name in of_cmake("readers") if name.split("/")[1] in ("image", "linux")}
        wanted |= of_cmake("stacks")
        both = {*files(True), *files(False)}
        self.assertEqual({"helper/memory/bytes.c"}, wanted - both)
        self.assertEqual({"testing/swift_package/no_shipped_rules.c"}, both - wanted)


class Library(unittest.TestCase):
    @unittest.skipUnless(sys.platform == "linux" and os.path.exists(ASSERTIONS),
                         "the program of the assertions is not built here")
    def test_the_assertions_of_the_package_say_what_those_of_cmake_do(self):
        os.makedirs(WORK, exist_ok=True)
        search = [f"-I{ROOT / path}" for path in
                  ("testing", *re.findall(r'headerSearchPath\("([^"]+)"\)', MANIFEST))]
        defines = [f"-D{name}=" for name in re.findall(r'define\("(\w+)", to: ""\)', MANIFEST)]
        self.assertIn("-D_GNU_SOURCE=", defines)

        def compiled(name):
            made = os.path.join(WORK, name.replace("/", "_") + ".o")
            subprocess.run([COMPILER, "-std=c11", "-O1", "-fPIC", *defines, *search, "-c",
                            str(ROOT / name), "-o", made], check=True)
            return made

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            objects = list(pool.map(compiled, files(True)))
        library = os.path.join(WORK, "libpackage.so")
        subprocess.run([COMPILER, "-shared", "-Wl,-z,defs", "-o", library, *objects, "-ldl",
                        "-lpthread"], check=True)

        def run(**environment):
            done = subprocess.run([ASSERTIONS, "mistake"], capture_output=True, text=True,
                                  timeout=1800, check=False, stdin=subprocess.DEVNULL,
                                  env={**os.environ, **environment})
            return done.returncode, done.stdout, re.sub("0x[0-9a-f]+|[0-9]+ ms", "A", done.stderr)

        # Where it stands no tool is, so that one without the other proves whose assertions these are.
        self.assertIn("LOUPE_TOOL", run(LD_PRELOAD=library)[2])
        ours, theirs = run(LD_PRELOAD=library, LOUPE_TOOL=LOUPE), run()
        self.assertEqual(theirs[:2], ours[:2])
        self.assertEqual(3, ours[0])
        heads = r"main\.m:[0-9]+: error: [^\n]+"
        self.assertEqual(re.findall(heads, theirs[2]), re.findall(heads, ours[2]))
        self.assertEqual(theirs[2].count("╭─▶ Screen"), ours[2].count("╭─▶ Screen"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
