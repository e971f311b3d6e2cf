"""How Mach-O files are signed, and what a refusal of Apple's loader means, on files that are drawn
here by xnu's cs_blobs.h and on the loader's own texts."""
import os
import plistlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

from lldb_commands.darwin import loading, signatures

ARM64, X86_64 = (0x0100000c, 0), (0x01000007, 3)
ARM64E = (0x0100000c, 0x80000002)
HARDENED, RESTRICTED, VALIDATES, AD_HOC = 0x10000, 0x800, 0x2000, 0x2
ANY_LIBRARY = "com.apple.security.cs.disable-library-validation"
ANY_VARIABLE = "com.apple.security.cs.allow-dyld-environment-variables"


def directory(flags=0, team="", platform=0, version=0x20400):
    """A code directory, without its hashes."""
    text = b"com.example.app\0" + (team.encode() + b"\0" if team else b"")
    head = 88
    blob = struct.pack(">IIIIIIIIIBBBBII", 0xfade0c02, head + len(text), version, flags, head, head,
                       0, 0, 0, 32, 2, platform, 12, 0, 0)
    blob += struct.pack(">I", head + 16 if team else 0)
    return blob.ljust(head, b"\0") + text


def entitlements(*names):
    text = plistlib.dumps({name: True for name in names})
    return struct.pack(">II", 0xfade7171, 8 + len(text)) + text


def signed(*blobs):
    at, index, rest = 12 + 8 * len(blobs), b"", b""
    for number, blob in enumerate(blobs):
        index += struct.pack(">II", 5 * number, at + len(rest))
        rest += blob
    return struct.pack(">III", 0xfade0cc0, at + len(rest), len(blobs)) + index + rest


def thin(cpu, signature=None):
    commands = struct.pack("<II", 0x1b, 24) + bytes(16)  # LC_UUID
    count = 1
    if signature is not None:
        commands += struct.pack("<IIII", 0x1d, 16, 32 + len(commands) + 16, len(signature))
        count += 1
    header = struct.pack("<IIIIIIII", 0xfeedfacf, *cpu, 2, count, len(commands), 0, 0)
    return header + commands + (signature or b"")


def fat(*parts):
    at, index, rest = 4096, b"", b""
    for cpu, part in parts:
        index += struct.pack(">5I", *cpu, at + len(rest), len(part), 12)
        rest += part
    return (struct.pack(">II", 0xcafebabe, len(parts)) + index).ljust(at, b"\0") + rest


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as out:
            out.write(content)
        return path


class Signatures(Files):
    def test_each_slice_is_told(self):
        path = self.file("app", fat((X86_64, thin(X86_64)),
                                    (ARM64E, thin(ARM64E, signed(directory(HARDENED, "ABCDE12345"),
                                                                 entitlements(ANY_LIBRARY))))))
        plain, arm = signatures.slices(path)
        self.assertEqual((plain.arch, plain.signature), ("x86_64", None))
        self.assertEqual(arm.arch, "arm64e")
        self.assertEqual(arm.signature.team, "ABCDE12345")
        self.assertTrue(arm.signature.is_hardened)
        self.assertFalse(arm.signature.is_restricted)
        self.assertTrue(arm.signature.has(ANY_LIBRARY))
        self.assertFalse(arm.signature.has(ANY_VARIABLE))

    def test_what_is_no_mach_o_has_no_slices(self):
        self.assertEqual(signatures.slices(self.file("text", b"#!/bin/sh\necho hello, world\n")), [])
        self.assertEqual(signatures.slices(self.file("empty", b"")), [])
        self.assertEqual(signatures.slices(os.path.join(self.folder, "none")), [])

    def test_damaged_files_are_survived(self):
        whole = fat((ARM64, thin(ARM64, signed(directory(HARDENED, "TEAM"), entitlements("a")))))
        random.seed(7)
        for _ in range(300):
            damaged = bytearray(whole)
            for _ in range(random.randrange(1, 6)):
                damaged[random.choice((random.randrange(64), random.randrange(4096, len(whole))))] = \
                    random.randrange(256)
            signatures.slices(self.file("damaged", bytes(damaged[:random.randrange(len(whole) + 1)]
                                                         if random.random() < .3 else damaged)))


class Obstacles(Files):
    def obstacles(self, *blobs, library=None, cpu=ARM64, at=None):
        program = at or self.file("app", thin(cpu, signed(*blobs) if blobs else None))
        return loading.obstacles(program, "arm64", library)

    def test_a_plain_program_takes_everything(self):
        self.assertEqual(self.obstacles(), [])
        self.assertEqual(self.obstacles(directory(AD_HOC)), [])

    def test_a_hardened_program_takes_its_own_teams(self):
        dropped, refused = self.obstacles(directory(HARDENED, "TEAM1"),
                                          library=self.file("ours", thin(ARM64)))
        self.assertIn("DYLD_INSERT_LIBRARIES is dropped", dropped)
        self.assertIn(ANY_VARIABLE, dropped)
        self.assertIn("team TEAM1 only (library validation)", refused)
        self.assertIn(ANY_LIBRARY, refused)
        same = self.file("same", thin(ARM64, signed(directory(0, "TEAM1"))))
        self.assertEqual(self.obstacles(directory(HARDENED, "TEAM1"), entitlements(ANY_VARIABLE),
                                        library=same), [])
        self.assertEqual(self.obstacles(directory(HARDENED, "TEAM1"),
                                        entitlements(ANY_VARIABLE, ANY_LIBRARY)), [])

    def test_flags_that_ask_for_validation_alone(self):
        self.assertEqual(len(self.obstacles(directory(VALIDATES, "TEAM1"))), 1)
        self.assertEqual(len(self.obstacles(directory(RESTRICTED))), 1)

    def test_memory_with_tags_is_looked_at_from_outside(self):
        found, = self.obstacles(directory(0, "TEAM1"), entitlements(
            "com.apple.security.hardened-process.checked-allocations"))
        self.assertIn("hardware tags", found)
        self.assertIn("--engine memory", found)

    def test_a_library_for_another_processor(self):
        library = self.file("ours", fat((X86_64, thin(X86_64)), (ARM64E, thin(ARM64E))))
        self.assertIn("is built for x86_64, arm64e, the program for arm64",
                      self.obstacles(library=library)[0])

    def test_programs_of_the_system(self):
        for found in (self.obstacles(at="/usr/bin/true"), self.obstacles(directory(0, platform=14))):
            self.assertEqual(len(found), 1)
            self.assertIn("System Integrity Protection", found[0])

    def test_how_it_is_signed_is_told(self):
        def told(*blobs):
            return loading.signed_as(self.file("app", thin(ARM64, signed(*blobs) if blobs else None)),
                                     "arm64")
        self.assertEqual(told(), "arm64, not signed")
        self.assertEqual(told(directory(AD_HOC)), "arm64, signed ad hoc")
        self.assertEqual(told(directory(HARDENED, "TEAM1")),
                         "arm64, signed by team TEAM1, hardened runtime, library validation")
        self.assertEqual(told(directory(HARDENED, "TEAM1"), entitlements(ANY_LIBRARY)),
                         "arm64, signed by team TEAM1, hardened runtime")
        self.assertEqual(loading.signed_as("/nowhere", "arm64"), "")


    def test_why_an_inserted_library_is_not_there(self):
        def why(*blobs, at=None):
            return loading.not_inserted(
                at or self.file("app", thin(ARM64, signed(*blobs) if blobs else None)), "arm64")
        self.assertIsNone(why())
        self.assertIsNone(why(directory(VALIDATES, "TEAM1")))
        self.assertIsNone(why(directory(HARDENED), entitlements(ANY_VARIABLE)))
        for flag in (HARDENED, RESTRICTED):
            self.assertIn(f"is dropped when it is started: sign a build for debugging with {ANY_VARIABLE}",
                          why(directory(flag, "TEAM1")))
        self.assertIn("System Integrity Protection", why(at="/usr/bin/true"))


# With a module in lldb's place: the rows of loupe doctor for a program of that triple, and what the
# commands say that miss a library of ours in it, or do not get one into it.
ASK = """
import sys, types
lldb = sys.modules["lldb"] = types.ModuleType("lldb")
from lldb_commands import doctor
from lldb_commands.running import watch
folder, name, triple, kind = sys.argv[1:]
file = types.SimpleNamespace(GetDirectory=lambda: folder, GetFilename=lambda: name)
target = types.SimpleNamespace(GetTriple=lambda: triple, GetExecutable=lambda: file,
                               module_iter=lambda: ())
context = types.SimpleNamespace(target=target, is_core=kind == "core")
doctor.helper.is_loaded = lambda context: False
doctor.libraries.find = lambda name: None
for row in doctor._of_apple(context):
    print(*row, sep=": ")
print(watch.listed(context, dict), watch.forget(None, context), sep="\\n")
watch.libraries.find = lambda name: "/l/libloupe_watch.dylib"
watch.locks.obstacle = lambda context: None
watch.helper.load = lambda path, context: "mapped files have different Team IDs"
try:
    watch._load(context)
except doctor.LoupeError as error:
    print(error)
"""


class Doctor(Files):
    def rows(self, triple, kind="live"):
        self.file("app", thin(ARM64, signed(directory(HARDENED, "TEAM1"))))
        done = subprocess.run([sys.executable, "-B", "-c", ASK, self.folder, "app", triple, kind],
                              capture_output=True, text=True, check=True)
        lines = done.stdout.splitlines()
        rows, self.of_watch = lines[:-3], lines[-3:]
        return rows

    def test_what_will_be_refused_is_told(self):
        rows = self.rows("arm64-apple-macosx14.0.0")
        self.assertEqual(rows[0], "signature: arm64, signed by team TEAM1, hardened runtime, "
                                  "library validation")
        self.assertEqual([row.split(":")[0] for row in rows[1:]], ["loading", "loading"])

    def test_what_misses_a_library_says_why(self):
        self.rows("arm64-apple-macosx14.0.0")
        missing = "nothing is watched: libloupe_watch is not in the process"
        for line in self.of_watch[:2]:
            self.assertTrue(line.startswith(f"{missing}; DYLD_INSERT_LIBRARIES is dropped"), line)
        self.assertIn("different Team IDs; library validation: ", self.of_watch[2])
        self.rows("x86_64-pc-linux-gnu")
        self.assertEqual(self.of_watch[:2], [missing, missing])

    def test_other_systems_and_cores_have_no_such_rows(self):
        self.assertEqual(self.rows("x86_64-pc-linux-gnu"), [])
        self.assertEqual(self.rows("arm64-apple-macosx14.0.0", "core"), [])


class Refusals(unittest.TestCase):
    def test_what_the_loader_says_is_explained(self):
        for why, part in (
                ("dlopen(/l/libloupe_helper.dylib, 0x0002): tried: '/l/libloupe_helper.dylib' (mach-o "
                 "file, but is an incompatible architecture (have 'x86_64', need 'arm64e,arm64'))",
                 "CMAKE_OSX_ARCHITECTURES=arm64e"),
                ("code signature in <1F> '/l/x' not valid for use in process: mapping process and "
                 "mapped file (non-platform) have different Team IDs", "library validation"),
                ("code signature in <1F> '/l/x' not valid for use in process: mapping process is a "
                 "platform binary, but mapped file is not", "System Integrity Protection"),
                ("code signature in <1F> '/l/x' not valid for use in process: mapped file has no "
                 "cdhash, completely unsigned? Code has to be at least ad-hoc signed.", "codesign -f -s -"),
                ("code signature invalid in <1F> '/l/x' (errno=85)", "sign it"),
                ("mach-o file (/l/x), but incompatible platform (have 'macOS', need 'iOS-simulator')",
                 "Swift package"),
                ("library load disallowed by system policy", "quarantine"),
                ("file system sandbox blocked mmap() of '/l/x'", "copy the library into the app"),
                ("tried: '/l/x' (no such file)", "part of the app")):
            self.assertIn(part, loading.advice(why) or "", why)

    def test_what_is_not_known_is_not_explained(self):
        self.assertIsNone(loading.advice("undefined symbol: frobnicate"))
        self.assertIsNone(loading.advice(""))


if __name__ == "__main__":
    unittest.main()
