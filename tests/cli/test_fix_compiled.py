"""loupe fix with a libclang: what it compiles is said, what it does not is refused, and it knows what tokens do not
tell: macros, types by other names, ivars that are named alone."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest
from typing import Any, List

from test_fix import NODE, OWNER, ROOT, Captures, Fix, answer, fix

COMPILED = "Compiled by clang without a new warning.\n"


class Compiled(Fix):
    def setUp(self) -> None:
        super().setUp()
        os.environ.pop("LOUPE_LIBCLANG")
        self.write(NODE)
        if "there is no libclang" in self.fix().stdout.decode():
            self.skipTest("no libclang")

    def compiled(self, text: str, name: str = "Node.m", **more: Any) -> str:
        after = self.patched(text, name, **more)
        self.write(text, name)
        self.assertIn("\n" + COMPILED, self.fix().stdout.decode())
        self.assertTrue(json.loads(self.fix("--json").stdout)["patches"][0]["compiled"])
        return after

    def by_tokens(self, text: str) -> str:
        os.environ["LOUPE_LIBCLANG"] = "none"
        why = self.refused(text)
        os.environ.pop("LOUPE_LIBCLANG")
        return why


class Declarations(Compiled):
    def test_declarations_that_tokens_do_not_tell(self) -> None:
        for ivar, after, why in (
                ("NodeRef _child;", "__weak NodeRef _child;", "not seen to be a pointer"),
                ("OUTLET Child *_child;", "__weak OUTLET Child *_child;", "a word of it is a macro")):
            text = ROOT + ("#define OUTLET\ntypedef Child *NodeRef;\n"
                           f"@interface Node : Root {{\n    {ivar}\n}}\n@end\n@implementation Node\n@end\n")
            self.assertRegex(self.by_tokens(text), why)
            self.assertIn(after, self.compiled(text))

    def test_properties(self) -> None:
        for declared, after in (("@property (PLAIN, strong) Child *child;", "@property (PLAIN, weak) Child *child;"),
                                ("@property (PLAIN) NodeRef child;", "@property (PLAIN, weak) NodeRef child;")):
            text = NODE.replace("@interface Node", "#define PLAIN nonatomic\ntypedef Child *NodeRef;\n@interface Node").replace(
                "@property (nonatomic, strong) Child *child;", declared)
            self.assertIn("macro", self.by_tokens(text))
            self.assertIn(after, self.compiled(text))

    def test_one_of_several(self) -> None:
        text = ROOT + "@interface Node : Root {\n    Child *_a, *_child, * _b; // three\n}\n@end\n@implementation Node\n@end\n"
        self.assertIn("    Child *_a, *__weak _child, * _b; // three\n", self.compiled(text))
        for ivar, why in (("id _a, _child;", "others are declared with it"), ("Child *_child, *_a;", None), ("__strong Child *_a, *_child;", "others"),
                          ("Child *_a, *_child[2];", "others"), ("int *_a, *_child;", "not one of objects"), ("struct s *_a, *_child;", "clang says|others")):
            changed = text.replace("Child *_a, *_child, * _b; // three", ivar)
            if why:
                self.assertRegex(self.refused(changed), why)
            else:
                self.assertIn("Child *__weak _child, *_a;", self.compiled(changed))

    def test_what_does_not_compile_is_refused(self) -> None:
        text = NODE.replace("@implementation Node\n", "@interface Child : Root {\n@public\n    int value;\n}\n@end\n@implementation Node\n"
                            "- (int)value {\n    return _child->value;\n}\n")
        self.assertIn("Node.m:14: an ivar of it is used, which crashes where it is nil", self.refused(text))
        for word, declared in (("NO_OBJECT", "typedef struct s *NO_OBJECT;"), ("CONFLICT Child *", "#define CONFLICT __unsafe_unretained")):
            text = ROOT + f"{declared}\n@interface Node : Root {{\n    {word} _child;\n}}\n@end\n@implementation Node\n@end\n"
            self.assertIn("clang says of the changed source: Node.m:", self.refused(text))
        text = NODE.replace("@interface Node", "#define KEPT strong\n@interface Node").replace("strong) Child", "KEPT) Child")
        self.assertIn("clang says of the changed source: Node.m:", self.refused(text))

    def test_what_has_errors_already(self) -> None:
        self.write(NODE + '#include "not_there.h"\n')
        said = self.fix().stdout.decode()
        self.assertIn("\nNot compiled: Node.m:9: 'not_there.h' file not found.\n", said)
        patch, = json.loads(self.fix("--json").stdout)["patches"]
        self.assertEqual((False, "Not compiled: Node.m:9: 'not_there.h' file not found."), (patch["compiled"], patch["compiler"]))
        doubtful = NODE.replace("Child *child", "NodeRef child") + "typedef Child *NodeRef;\n"
        self.assertIn("not seen to be a pointer", self.refused(doubtful))

    def test_headers_are_read_by_who_names_them(self) -> None:
        header, _, code = NODE.partition("@implementation")
        uses = "@interface Child : Root\n- (int)value;\n@end\nint look(Node *node);\nint look(Node *node) {\n    return [node.child value];\n}\n"
        self.write(header, "Node.h")
        self.write('#include "Node.h"\n@implementation' + code, "Node.m")
        self.write('#include "../Node.h"\n' + uses, "other/Other.m")
        self.assertIn(COMPILED, self.fix().stdout.decode())
        self.write('#include "../Node.h"\nnonsense;\n', "other/Other.m")
        self.assertIn("Compiled by clang without a new warning in 1 of 2 sources.\n", self.fix().stdout.decode())


    def test_a_second_time(self) -> None:
        for declared in ("@property (PLAIN, weak) Child *child;", "@property (weak, PLAIN) NodeRef child;", "{\n    OUTLET __weak Child *_child;\n}",
                         "{\n    Child *_a, *__weak _child;\n}"):
            self.refused(NODE.replace("@interface Node", "#define OUTLET\n#define PLAIN nonatomic\ntypedef Child *NodeRef;\n@interface Node").replace(
                "@property (nonatomic, strong) Child *child;", declared))


class Builds(Compiled):
    TEXT = '#include "root.h"\n' + NODE.replace(ROOT, "").replace("@interface Node", "@class Child;\n#ifndef ON\n#error\n#endif\n@interface Node")

    def test_flags(self) -> None:
        self.write(self.TEXT)
        (self.folder / "headers").mkdir()
        (self.folder / "headers" / "root.h").write_text(ROOT)
        self.assertIn("'root.h' file not found", self.fix().stdout.decode())
        words = ["-xobjective-c", "-fobjc-arc", "-fobjc-runtime=macosx-10.15", "-DON", "-I", str(self.folder / "headers")]
        flags, commands = self.source / "compile_flags.txt", self.folder / "build" / "compile_commands.json"
        flags.write_text("\n".join(words))
        self.assertIn(COMPILED, self.fix().stdout.decode())
        flags.unlink()
        commands.parent.mkdir()
        commands.write_text(json.dumps([{"directory": str(self.folder), "file": str(self.source / "Node.m"), "command":
                                         f"clang {' '.join(words).replace(str(self.folder) + '/', '')} -c -o Node.o {self.source}/Node.m"}]))
        self.assertIn(COMPILED, self.fix().stdout.decode())

    @unittest.skipUnless(shutil.which("cc"), "no compiler")
    def test_words_that_run_code_or_write_are_not_used(self) -> None:
        self.write(NODE)
        library, written = self.folder / "evil.so", self.folder / "written"
        code = f'#include <stdio.h>\n__attribute__((constructor)) static void run(void) {{ fclose(fopen("{written}", "w")); }}\n'
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, "-x", "c", "-"], input=code.encode(), check=True)
        subprocess.run(["python3", "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1])", library], check=True)
        self.assertTrue(written.exists())
        written.unlink()
        for words in ([f"-fplugin={library}"], ["-Xclang", "-load", "-Xclang", str(library)], [f"-fpass-plugin={library}"],
                      ["-MD", "-MF", str(written)], [f"-Wp,-MD,{written}"], [f"--serialize-diagnostics={written}"], ["-o", str(written)],
                      ["-dependency-file", str(written)], [f"-ftime-trace={written}"], ["-save-temps"], [f"-fmodules-cache-path={written}", "-fmodules"]):
            (self.source / "compile_flags.txt").write_text("\n".join(["-xobjective-c", "-fobjc-arc", "-fobjc-runtime=macosx-10.15", *words]))
            self.assertIn(COMPILED, self.fix().stdout.decode(), words)
            self.assertEqual({"Node.m", "compile_flags.txt"}, {path.name for path in self.source.iterdir()}, words)
            self.assertFalse(written.exists(), words)


class Blocks(Compiled):
    of = Captures.of

    def changed(self, *lines: str, before: str = "", **more: str) -> List[str]:
        text = before + self.of(*lines, **more)
        said = json.loads(self.answer.read_text())
        said["objects"]["0x1000"]["invoke"]["line"] += before.count("\n")
        self.say(said)
        after = self.compiled(text, "Owner.m", one_line=False)
        self.compile(after, "-Wno-unused", "-Werror=arc-retain-cycles", "-Wno-arc-repeated-use-of-weak", "-Wno-duplicate-decl-specifier")
        return [line.strip() for line in after[len(before):].splitlines()[len(OWNER.splitlines()) - 1:-2]]

    def test_nested_blocks(self) -> None:
        copy = ["__strong __typeof__(weakSelf) strongSelf = weakSelf;", "if (!strongSelf)", "return;"]
        both = ("    self.handler = ^{", "        [self finish];", "        later(^{", "            extra = self.other;", "        });", "    };")
        self.assertEqual(["__weak __typeof__(self) weakSelf = self;", "self.handler = ^{", *copy, "[strongSelf finish];", "later(^{", *copy,
                          "strongSelf->extra = strongSelf.other;", "});", "};"], self.changed(*both))
        inner = ("    self.handler = ^{", "        later(^{", "            [self finish];", "        });", "    };")
        self.assertEqual(["__weak __typeof__(self) weakSelf = self;", "self.handler = ^{", "later(^{", *copy, "[strongSelf finish];", "});", "};"],
                         self.changed(*inner))
        values = ("    self.handler = ^{", "        [self finish];", "        [self take:0 with:1 then:^{ later(0); }];",
                  "        self.counter = ^int(id sender) { return sender == self.other; };", "    };")
        self.assertEqual(["__weak __typeof__(self) weakSelf = self;", "self.handler = ^{", *copy, "[strongSelf finish];",
                          "[strongSelf take:0 with:1 then:^{ later(0); }];",
                          "strongSelf.counter = ^int(id sender) { __strong __typeof__(weakSelf) strongSelf = weakSelf; return sender == strongSelf.other; };",
                          "};"], self.changed(*values))

    def test_macros(self) -> None:
        macros = "#define LOG(x) later2(x)\n#define CHECK(c) do { if (!(c)) later2(self); } while (0)\n#define DONE (void)0\nvoid later2(const void *);\n"
        lines = ("    self.handler = ^{", "        DONE;", "        LOG((__bridge void *)self); LOG((__bridge void *)extra);", "    };")
        self.assertIn("LOG((__bridge void *)strongSelf); LOG((__bridge void *)strongSelf->extra);", self.changed(*lines, before=macros))
        macros += "#define LATER(x) later(^{ x; })\nvoid later(void (^)(void));\n"
        for line in ("CHECK(1);", "LATER([self finish]);", "LATER((void)extra);"):
            text = macros + self.of("    self.handler = ^{", "        [self finish];", "        " + line, "    };")
            said = json.loads(self.answer.read_text())
            said["objects"]["0x1000"]["invoke"]["line"] += macros.count("\n")
            self.say(said)
            self.write(text.replace("later2(const void *)", "later2(id)"), "Owner.m")
            self.assertIn("a macro there uses it", self.fix().stderr.decode())

    def test_ivars_and_names_that_are_none(self) -> None:
        lines = ("    int _count = 0;", "    self.handler = ^{", "        (void)_count;", "        struct { int extra; } pair = { 1 };", "        (void)pair.extra;",
                 "        extra = _other;", "    };")
        after = self.changed(*lines)
        self.assertIn("(void)_count;", after)
        self.assertIn("struct { int extra; } pair = { 1 };", after)
        self.assertIn("strongSelf->extra = strongSelf->_other;", after)

    def test_variables_of_other_types(self) -> None:
        after = self.changed("    OwnerRef owner = [self other];", "    owner.handler = ^{", "        [owner finish];", "    };", variable="owner",
                             before="@class Owner;\ntypedef Owner *OwnerRef;\n")
        self.assertIn("__weak __typeof__(owner) weakOwner = owner;", after)
        self.write("struct s;\n" + self.of("    struct s *thing = 0;", "    later(^{", "        (void)thing;", "    });", variable="thing"), "Owner.m")
        said = json.loads(self.answer.read_text())
        said["objects"]["0x1000"]["invoke"]["line"] += 1
        self.say(said)
        self.assertIn("not seen to be a pointer to an object", self.fix().stderr.decode())


def load_tests(loader: unittest.TestLoader, tests: Any, pattern: Any) -> unittest.TestSuite:
    return unittest.TestSuite(loader.loadTestsFromTestCase(kind) for kind in (Declarations, Builds, Blocks))


if __name__ == "__main__":
    unittest.main()
