"""loupe fix: the one declaration that an answer is about becomes weak, or nothing does and the reason is said."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from typing import Any, Dict, List, Optional

import schema
import tool
from waiting import snapshots_of

TREE = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = pathlib.Path(os.environ.get("LOUPE_FIXTURES", "none"))
Json = Dict[str, Any]

# What sources need to be compiled without any library of Objective-C.
ROOT = """\
__attribute__((objc_root_class)) @interface Root
@end
@class Child;
"""
NODE = ROOT + """\
@interface Node : Root
@property (nonatomic, strong) Child *child;
@end
@implementation Node
@end
"""


def edge(name: str, kind: str = "ivar", **more: Any) -> Json:
    return {"from": "0x1000", "to": "0x2000", "kind": kind, "path": name, "name": name, "ownership": "strong", **more}


def fix(name: str = "_child", do: str = "make-weak", **more: Any) -> Json:
    return {"do": do, "subjects": [{"do": do, "edge": edge(name)}], "edge": edge(name), "breaks": "knot", "frees": True,
            "conditions": [], **more}


def answer(*fixes: Json, owner: str = "Node", **more: Any) -> Json:
    return {"loupe": 1, "query": "cycles", "status": "ok",
            "objects": {"0x1000": {"class": owner, "kind": "object"}, "0x2000": {"class": "Child", "kind": "object"}},
            "knots": [{"fixes": list(fixes)}], **more}


class Fix(tool.ToolTest):
    """By tokens alone; with a compiler: test_fix_compiled.py."""

    def setUp(self) -> None:
        os.environ["LOUPE_LIBCLANG"] = "none"
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source = self.folder / "source"
        self.source.mkdir()
        self.answer = self.folder / "answer.json"
        self.say(answer(fix()))

    def say(self, said: Json) -> None:
        self.answer.write_text(json.dumps(said), encoding="ascii")

    def write(self, text: str, name: str = "Node.m") -> pathlib.Path:
        file = self.source / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        os.utime(file, (1, 1))
        return file

    def fix(self, *words: str, choice: str = "1a") -> "subprocess.CompletedProcess[bytes]":
        return self.run_tool("fix", str(self.answer), choice, "--source", str(self.source), *words)

    def patched(self, text: str, name: str = "Node.m", one_line: bool = True) -> str:
        """The text after `git apply` took what is printed: as --apply writes it, and by one line."""
        file = self.write(text, name)
        result = self.fix()
        self.assertEqual((0, b""), (result.returncode, result.stderr), text)
        if not shutil.which("git"):
            self.skipTest("no git")
        done = subprocess.run(["git", "apply", "-"], input=result.stdout, cwd=self.source, capture_output=True, check=False,
                              env={**os.environ, "GIT_CEILING_DIRECTORIES": str(self.folder)})
        self.assertEqual((0, b""), (done.returncode, done.stderr), result.stdout)
        by_git = file.read_bytes()
        self.write(text, name)
        self.assertEqual(0, self.fix("--apply").returncode)
        self.assertEqual(by_git, file.read_bytes())
        old, new = text.encode().splitlines(True), by_git.splitlines(True)
        if one_line:
            self.assertEqual([len(old), 1], [len(new), sum(a != b for a, b in zip(old, new))])
        self.assertEqual(2, self.fix("--force").returncode, "a second time")
        return by_git.decode()

    def refused(self, text: Optional[str] = None, *words: str) -> str:
        """Why; the source is as it was."""
        file = self.write(text) if text is not None else None
        result = self.fix("--apply", *words)
        self.assertEqual((2, b""), (result.returncode, result.stdout), text)
        if file is not None and text is not None:
            self.assertEqual(text.encode(), file.read_bytes())
        line = result.stderr.decode("ascii")
        self.assertTrue(line.startswith("loupe: fix: ") and line.rstrip("\n").isprintable(), line)
        return line

    def compile(self, text: str, *options: str) -> None:
        clang = shutil.which("clang")
        if not clang:
            self.skipTest("no clang")
        done = subprocess.run([clang, "-fsyntax-only", "-fobjc-arc", "-fobjc-runtime=macosx-10.15", "-Wall", "-Werror", "-fblocks", *options, "-x", "objective-c", "-"],
                              input=text.encode(), capture_output=True, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stderr.decode()))


class Declarations(Fix):
    def of(self, member: str, implementation: str = "") -> str:
        return NODE.replace("@property (nonatomic, strong) Child *child;", member).replace(
            "@implementation Node\n", "@implementation Node\n" + implementation)

    def test_properties(self) -> None:
        for before, after in (("@property (nonatomic, strong) Child *child;", "@property (nonatomic, weak) Child *child;"),
                              ("@property(retain)Child*child;", "@property(weak)Child*child;"),
                              ("@property (copy, nonatomic) Child *child;", "@property (weak, nonatomic) Child *child;"),
                              ("@property (nonatomic) id child;", "@property (nonatomic, weak) id child;"),
                              ("@property () Child *child;", "@property (weak) Child *child;"),
                              ("@property Child *child; // strong", "@property (weak) Child *child; // strong"),
                              ("@property (getter=strong, strong) id child;", "@property (getter=strong, weak) id child;"),
                              ("@property (strong, nullable) Child * /* strong; */ child;", "@property (weak, nullable) Child * /* strong; */ child;")):
            text = self.patched(self.of(before))
            self.assertEqual(self.of(after), text)
            self.compile(text)

    def test_ivars(self) -> None:
        for before, after in (("{\n    Child *_child;\n}", "{\n    __weak Child *_child;\n}"),
                              ("{ id _other; @private id _child; }", "{ id _other; @private __weak id _child; }"),
                              ("{\n\t__strong Child *_child;\n}", "{\n\t__weak Child *_child;\n}")):
            text = self.patched(NODE.replace("@interface Node : Root\n", f"@interface Node : Root\n{before}\n").replace(
                "@property (nonatomic, strong) Child *child;\n", ""))
            self.assertIn(after, text)
            self.compile(text)
            text = self.patched(self.of("").replace("@implementation Node\n", f"@implementation Node\n{before}\n"))
            self.assertIn(after, text)
            self.compile(text)

    def test_names_of_properties(self) -> None:
        self.say(answer(fix("_mine")))
        text = self.patched(self.of("@property (strong) Child *mine, *no;\n@property (strong) Child *child;".replace(" *mine, *no", " *mine_"),
                                    "@synthesize child = _mine;\n"))
        self.assertIn("@property (weak) Child *child;", text)
        self.compile(text)
        self.say(answer(fix("child")))
        self.assertIn("(nonatomic, weak)", self.patched(self.of("@property (nonatomic, strong) Child *child;", "@synthesize child;\n")))
        self.say(answer(fix()))
        self.assertIn("no ivar or property _child", self.refused(self.of("@property (strong) Child *child;", "@synthesize child;\n")))
        self.assertIn("no ivar or property _child", self.refused(self.of("@property (strong) Child *child;", "@dynamic child;\n")))

    def test_the_style_of_a_file_stays(self) -> None:
        self.assertIn("\r\n", self.patched(NODE.replace("\n", "\r\n")))
        self.patched(NODE.rstrip("\n"))
        self.patched(self.of("@property (strong)\tChild *child;\n@property (strong) id größe;"))
        (self.source / "Node.m").unlink()
        self.patched("#ifndef NODE_H\n#define NODE_H\n" + NODE + "#endif\n", "a folder/Node.h")
        (self.source / "a folder" / "Node.h").unlink()
        self.patched("#ifndef NODE_H\n#define NODE_H\n#endif\n" + NODE)
        self.patched(NODE.replace("@interface Node : Root\n", "@interface Node : Root\n" + "// moved\n" * 40))
        self.patched("@interface Node : Root\n@property (strong) Child *child;\n@end")

    def test_what_stands_elsewhere_is_not_it(self) -> None:
        noise = ('// @interface Node : Root { Child *_child; } @end\n/* @interface Node\n@property (strong) Child *child;\n@end */\n'
                 '@class Node;\n@interface Other : Root\n@property (strong) Child *child;\n@end\n'
                 '@interface Node (Extra)\n@property (strong) Child *child;\n@end\n'
                 '@protocol Node\n@property (strong) Child *child;\n@end\n')
        text = noise + NODE
        self.assertEqual(noise + NODE.replace("(nonatomic, strong)", "(nonatomic, weak)"), self.patched(text))
        (self.source / "Other.m").write_text('const char *text = "@interface Node : Root { Child *_child; } @end";\n')
        self.patched(NODE)


class Refusals(Fix):
    def test_declarations_that_are_not_plain(self) -> None:
        for member, why in (("@property (strong) Child *child, *other;", "others are declared with it"),
                            ("@property (strong) Child *other, *child;", "others are declared with it"),
                            ("@property (weak) Child *child;", "it is weak already"),
                            ("@property (assign) Child *child;", "it owns nothing there"),
                            ("@property (strong, nonnull) Child *child;", "never nil"),
                            ("@property (strong) Child * _Nonnull child;", "never nil"),
                            ("@property (OWNED) Child *child;", "an attribute that is not known"),
                            ("@property (strong, retain) Child *child;", "it says twice"),
                            ("@property (copy) void (^child)(void);", "not one of objects"),
                            ("@property (copy) id (^child)(void);", "not a plain pointer"),
                            ("@property (copy) Handler child;", "not seen to be a pointer"),
                            ("@property (strong) NSArray **child;", "not a plain pointer"),
                            ("@property (strong) void *child;", "not one of objects"),
                            ("@property (strong) FANCY Child *child;", "may be a macro"),
                            ("@property (strong) Child *child UNAVAILABLE;", "not a plain pointer"),
                            ("@property (strong) FANCY(Child) child;", "not a plain pointer"),
                            ("#if A\n@property (strong) Child *child;\n#endif", "in an #if"),
                            ("#if A\n@property (strong) Child *child;\n#else\n@property (retain) Child *child;\n#endif", "in an #if"),
                            ("PROPERTY(strong, Child, child)", "no ivar or property"),
                            ("@property (strong) Child *child", "has no end")):
            self.assertIn(why, self.refused(NODE.replace("@property (nonatomic, strong) Child *child;", member)), member)

    def test_ivars_that_are_not_plain(self) -> None:
        bare = NODE.replace("@property (nonatomic, strong) Child *child;\n", "")
        for member, why in (("id _child, _b;", "others are declared with it"), ("Child *_a, *_child[2];", "others are declared with it"),
                            ("__weak Child *_child;", "weak already"), ("struct { id _x; id _child; } _s;", "a member of something else"),
                            ("Child *_child[2];", "not a plain pointer"), ("unsigned _child : 3;", "not one of objects"),
                            ("__unsafe_unretained Child *_child;", "owns nothing there"), ("#ifdef A\nChild *_child;\n#endif", "in an #if")):
            self.assertIn(why, self.refused(bare.replace("@interface Node : Root\n", f"@interface Node : Root {{\n{member}\n}}\n")), member)

    def test_what_would_be_freed_at_once(self) -> None:
        for line in ("_child = [[Child alloc] init];", "self.child = [[Child alloc] initWithParent:self];", "self->_child = [Child new];"):
            code = f"- (void)fill {{\n    {line}\n}}\n"
            self.assertIn("Node.m:9 puts a new object into it", self.refused(NODE.replace("@implementation Node\n", "@implementation Node\n" + code)))
        (self.source / "Node.m").unlink()
        elsewhere = "@implementation Other\n- (void)fill { _child = [Child new]; child = [Child new]; self.children = [Child new]; }\n@end\n"
        self.patched(elsewhere + NODE.replace("@implementation Node\n", "@implementation Node\n- (void)fill:(Child *)child {\n    _child = child;\n}\n"))

    def test_more_than_one_place(self) -> None:
        self.assertIn("in 2 places of class Node", self.refused(NODE.replace("@interface Node : Root\n", "@interface Node : Root { Child *_child; }\n")))
        self.assertIn("in 2 places of class Node", self.refused(
            NODE.replace("@implementation", "@interface Node ()\n@property (strong) Child *child;\n@end\n@implementation")))
        self.write(NODE, "copy/Node.m")
        self.assertIn("is declared in 2 places and implemented in 2", self.refused(NODE))

    def test_sources_that_are_not_understood(self) -> None:
        for text, why in ((NODE + "/* no end", "has no end"), (NODE + '"no end\n', "has no end"), (NODE + "#if A\n", "has no end"),
                          ("#endif\n" + NODE, "has no end"), (NODE.replace("@end\n@implementation", "@implementation"), "no @end"),
                          ("#define Child Other\n" + NODE, "a macro"), ("#define strong weak\n" + NODE, "a macro"),
                          ("// Made by a program. DO NOT EDIT.\n" + NODE, "generated"), (NODE + "\0", "a diff cannot hold"),
                          (NODE.replace("@implementation Node\n", "@implementation Node\n- (void)dealloc { [super dealloc]; }\n"), "without ARC"),
                          ("int Node;", "in no source below")):
            self.assertIn(why, self.refused(text), text)

    def test_answers(self) -> None:
        self.write(NODE)
        for said, why in ((answer(fix(do="capture-weakly")), "by hand"), (answer(fix(do="set-to-nil")), "no method where its work ends"), (answer(fix(do="weak-wrapper")), "by hand"),
                          (answer(fix(subjects=[{"do": "make-weak", "edge": edge("self", "capture")}])), "by hand"),
                          (answer(fix(subjects=[{"do": "make-weak", "edge": edge("_child")}] * 2)), "2 references at once"),
                          (answer(fix("self", "capture-weakly", subjects=[{"do": "capture-weakly", "edge": edge("self", "capture", manual=True)}])),
                           "does not say where"),
                          (answer(fix(), weak_references=False), "no weak references"),
                          (answer(fix("_child; system()")), "is not a name"), (answer(fix("\u202e\x1b[31m")), "is not a name"),
                          (answer(fix(), owner="../Node"), "is not a name"), (answer(fix(), owner=""), "is not a name"),
                          (answer(), "no fix 1a"), ({"loupe": 1, "knots": 7}, "is not an answer")):
            self.say(said)
            self.assertIn(why, self.refused(), said)
        for text in ("", "{", "[" * 100000, '{"knots":[{"fixes":[7]}]}', '{"knots":[7,{"fixes":{"a":{}}}]}'):
            self.answer.write_text(text)
            self.refused()

    def test_links_are_not_followed(self) -> None:
        outside = self.folder / "outside"
        outside.mkdir()
        (outside / "Node.m").write_text(NODE)
        (self.source / "Node.m").symlink_to(outside / "Node.m")
        (self.source / "linked").symlink_to(outside)
        self.assertIn("in no source below", self.refused())
        os.mkfifo(self.source / "pipe.m")
        self.assertIn("in no source below", self.refused())
        self.assertEqual(NODE, (outside / "Node.m").read_text())

    def test_a_source_that_is_newer_than_the_answer(self) -> None:
        file = self.write(NODE)
        os.utime(self.answer, (1000, 1000))
        os.utime(file, (2000, 2000))
        self.assertIn("was changed after the answer", self.fix("--apply").stderr.decode())
        self.assertEqual(NODE, file.read_text())
        self.assertEqual(0, self.fix().returncode)
        file.chmod(0o640)
        self.assertEqual(0, self.fix("--apply", "--force").returncode)
        self.assertIn("(nonatomic, weak)", file.read_text())
        self.assertEqual(0o640, file.stat().st_mode & 0o777)
        self.assertEqual(["Node.m"], os.listdir(self.source))

BY_HAND = ROOT.replace("@end", """- (id)retain;
- (oneway void)release;
- (id)autorelease;
- (void)dealloc;
+ (id)alloc;
- (id)init;
@end""") + """\
#define nil ((id)0)
#define ASSIGN(a, b) do { id _new = [b retain]; [a release]; a = _new; } while (0)
#define DESTROY(a) do { [a release]; a = nil; } while (0)
#define RELEASE(a) [a release]
#define RETAIN(a) [a retain]
@interface Node : Root {
    id _child, _name;
}
PROPERTY
@end
@implementation Node
BODY
@end
"""


class Unretained(Fix):
    """Code without ARC: everything that retains or releases the ivar goes."""

    def of(self, body: str, declared: str = "") -> str:
        made = edge("_child", manual=True, ownership="assumed")
        self.say({**answer(fix(edge=made, subjects=[{"do": "make-weak", "edge": made}])), "weak_references": False})
        return BY_HAND.replace("PROPERTY", declared).replace("BODY", body)

    def changed(self, body: str, declared: str = "") -> str:
        """The methods afterwards, and what is declared."""
        before = self.of(body, declared)
        self.compile(before, "-fno-objc-arc")
        after = self.patched(before, one_line=False)
        self.compile(after, "-fno-objc-arc")
        head, rest = after.split("id _child, _name;\n}\n")
        self.assertEqual(before.split("id _child, _name;\n}\n")[0], head)
        kept, rest = rest.split("@end\n@implementation Node\n")
        self.assertEqual("\n@end\n", rest[-6:])
        return (kept.strip("\n") + "|" if declared else "") + rest[:-6]

    def test_setters(self) -> None:
        for before, after in (
                ("    if (x != _child) {\n        [_child release];\n        _child = [x retain];\n    }", "    if (x != _child) {\n        _child = x;\n    }"),
                ("    [x retain];\n    [_child release]; // the old one\n    _child = x;", "    _child = x;"),
                ("    [_child autorelease];\n    _child = [[self part] retain];", "    _child = [self part];"),
                ("    [self->_child release], self->_child = RETAIN(x);", "    self->_child = x;"),
                ("    ASSIGN(_child, x);", "    _child = x;"),
                ("    RELEASE(_child); _child = x; RETAIN(_child);", "    _child = x;"),
                ("    _child = [x retain];\n    _child = nil;", "    _child = x;\n    _child = nil;"),
                ("    _child = [x retain];\n    DESTROY(_child);", "    _child = x;\n    _child = nil;"),
                ("    if (x) { [_child release]; _child = [x retain]; }", "    if (x) { _child = x; }")):
            head, tail = "- (id)part {\n    return [[_child retain] autorelease];\n}\n- (void)setChild:(id)x {\n", "\n}"
            self.assertEqual(head + after + tail, self.changed(head + before + tail), before)

    def test_properties(self) -> None:
        body = "@synthesize child = _child;\n- (void)dealloc {%s\n    [super dealloc];\n}"
        for before, after in (("@property (nonatomic, retain) id child;", "@property (nonatomic, assign) id child;"),
                              ("@property (strong) id child;", "@property (assign) id child;")):
            self.assertEqual(after + "|" + body % "", self.changed(body % "\n    [_child release];", before))
            self.assertEqual(after + "|" + body % "", self.changed(body % "", before))

    def test_that_of_another_object_of_the_class(self) -> None:
        method = "- (void)add:(Node *)node in:(id)place {\n    %s\n}"
        for code, after in (("node->_child = [place retain];", "node->_child = place;"), ("ASSIGN(node->_child, place);", "node->_child = place;"),
                            ("Node *other = place;\n    other->_child = [node retain];", "Node *other = place;\n    other->_child = node;"),
                            ("[node->_child release];\n    node->_child = [place retain];", "node->_child = place;")):
            self.assertIn("    " + after + "\n", self.patched(self.of(method % code), one_line=False))

    def test_several_files(self) -> None:
        text = self.of("- (void)setChild:(id)x {\n    [_child release];\n    _child = [x retain];\n}", "@property (retain) id child;")
        header, body = text.split("@implementation")
        self.write(header, "Node.h")
        self.write('#import "Node.h"\n@implementation' + body, "code/Node.m")
        said = json.loads(self.fix("--json").stdout)
        self.assertEqual([("Node.h", False), ("code/Node.m", False)], sorted((patch["file"], patch["applied"]) for patch in said["patches"]))
        self.assertEqual([], schema.Schema().problems(said))
        os.utime(self.source / "code" / "Node.m", (1 << 33, 1 << 33))
        self.assertIn("was changed after", self.refused())
        self.assertEqual(header, (self.source / "Node.h").read_text(), "all or none")
        self.assertEqual(0, self.fix("--apply", "--force").returncode)
        self.assertIn("(assign)", (self.source / "Node.h").read_text())
        self.assertIn("{\n    _child = x;\n}", (self.source / "code" / "Node.m").read_text())

    def test_refusals(self) -> None:
        method = "- (void)setChild:(id)x {\n    %s\n}"
        for code, why in (("_child = [[Node alloc] init];", "a new object"), ("ASSIGN(_child, [x copy]);", "a new object"),
                          ("id made = [[Node alloc] init];\n    _child = made;\n    [x retain];", "a new object"),
                          ("_child = (id)[x retain];", "not understood"), ("_child = x ? [x retain] : nil;", "not understood"),
                          ("_child = [self newChild];\n    _name = [x retain];", "a new object"),
                          ("if (x) [_child release];\n    _child = [x retain];", "not a statement of its own"),
                          ("id old = _child;\n    _child = [x retain];\n    [old release];", "its old value"),
                          ("id *where = &_child;\n    *where = [x retain];", "its address"),
                          ("id _child = [x retain];", "another variable has its name"),
                          ("_child = [x retain];\n    SAFE_RELEASE(_child);", "may be a macro"),
                          ("[self take:[_child retain]];", "retained for something else"),
                          ("_child = _name = [x retain];\n    _name = _child = x;", "not understood"),
                          ("_child = x;", "no place is found"), ("", "no place is found"),
                          ("((Node *)x)->_child = [x retain];", "another object"),
                          ("Child *other = x;\n    other->_child = [x retain];\n    _child = [x retain];", "another object"),
                          ("\n#if A\n    [_child release];\n#endif\n    _child = [x retain];", "#if"),
                          ("_child = [x\n        retain];", "more than one line")):
            text = self.of(method % code)
            self.assertIn(why, self.refused(text, "--force"), code)
        for declared, why in (("@property (copy) id child;", "copies"), ("@property (retain, magic) id child;", "not known")):
            self.assertIn(why, self.refused(self.of("@synthesize child = _child;", declared), "--force"))
        body = "@synthesize child = _child;\n- (void)dealloc {\n    [%s release];\n    [super dealloc];\n}"
        for getter in ("self.child", "[self child]"):
            self.assertIn("by its getter", self.refused(self.of(body % getter, "@property (retain) id child;"), "--force"))
        retained = method % "_child = [x retain];"
        self.assertIn("outside of its class", self.refused(self.of(retained) + "void f(Node *n) { [n->_child release]; n->_child = 0; }\n", "--force"))
        category = "@implementation Node (More)\n- (void)drop {\n    [_child release];\n}\n@end\n"
        self.write(self.of(retained) + category)
        self.assertIn("-    [_child release];", self.fix().stdout.decode())

POLLER = ROOT + """\
#define nil ((id)0)
typedef struct source *dispatch_source_t;
void dispatch_source_cancel(dispatch_source_t);
@interface NSTimer : Root
- (void)invalidate;
- (void)release;
@end
@interface NSNotificationCenter : Root
+ (NSNotificationCenter *)defaultCenter;
- (void)removeObserver:(id)observer;
- (id)addObserverForName:(id)name;
@end
@interface Poller : Root {
    NSTimer *_timer;
}
PROPERTY
@end
@implementation Poller
BODY
@end
"""


class Endings(Fix):
    """What an ivar has is ended in the method where the work of its owner ends."""

    def of(self, body: str, declared: str = "", do: str = "invalidate", target: bool = False, **more: Any) -> str:
        ivar = edge("_timer", **more)
        back = {**edge("_target", "target"), "from": "0x2000", "to": "0x1000"}
        changed = fix(do=do, edge=back if target else ivar, subjects=[{"do": do, "edge": back if target else ivar}])
        said = answer(changed, owner="Poller")
        said["objects"]["0x2000"]["class"] = "NSTimer"
        said["knots"][0]["rings"] = [{"edges": [ivar, back]}]
        self.say(said)
        return POLLER.replace("PROPERTY", declared).replace("BODY", body)

    def changed(self, body: str, declared: str = "", *, manual: bool = False, **more: Any) -> str:
        """The methods afterwards."""
        before = self.of(body, declared, **({"manual": True, **more} if manual else more))
        options = ["-fno-objc-arc" if manual else "-fobjc-arc", "-Wno-unused"]
        self.compile(before, *options)
        after = self.patched(before, one_line=False)
        self.compile(after, *options)
        return after.split("@implementation Poller\n")[1].rsplit("\n@end", 1)[0]

    def test_where_it_ends(self) -> None:
        for before, after in (
                ("- (void)stop {\n    [self work];\n}", "- (void)stop {\n    [self work];\n    [_timer invalidate];\n    _timer = nil;\n}"),
                ("- (void)viewDidDisappear:(int)x {\n\tx++;\n}\n- (void)stop {\n}",
                 "- (void)viewDidDisappear:(int)x {\n\tx++;\n\t[_timer invalidate];\n\t_timer = nil;\n}\n- (void)stop {\n}"),
                ("- (void)stopPolling {\n}", "- (void)stopPolling {\n    [_timer invalidate];\n    _timer = nil;\n}"),
                ("- (void)close:(id)x { x = nil; }", "- (void)close:(id)x { x = nil; [_timer invalidate]; _timer = nil; }"),
                ("- (void)stop {}", "- (void)stop { [_timer invalidate]; _timer = nil; }")):
            body = "- (id)work {\n    return _timer;\n}\n"
            self.assertEqual(body + after, self.changed(body + before), before)
            self.assertEqual(body + after, self.changed(body + before, do="invalidate-before", target=True), before)

    def test_how_it_ends(self) -> None:
        use, stop = "- (id)work {\n    return _timer;\n}\n", "- (void)stop {\n%s}"
        for do, declared, lines in (
                ("set-to-nil", "", ["_timer = nil;"]), ("set-to-nil", "@property (strong) NSTimer *timer;", ["self.timer = nil;"]),
                ("invalidate", "@property (readonly) NSTimer *timer;", ["[_timer invalidate];", "_timer = nil;"]),
                ("remove-token", "", ["if (_timer) [[NSNotificationCenter defaultCenter] removeObserver:_timer];", "_timer = nil;"])):
            self.assertEqual(use + stop % "".join(f"    {line}\n" for line in lines), self.changed(use + stop % "", declared, do=do), do)
        self.write(self.of(use + stop % "", do="remove-actions"))
        self.assertIn("+    [_timer removeAllActions];\n }", self.fix().stdout.decode())
        self.write(self.of(use + stop % "", do="cancel"))
        self.assertIn("+    if (_timer) dispatch_source_cancel(_timer);\n+    _timer = nil;", self.fix().stdout.decode())

    def test_code_without_arc(self) -> None:
        stop, end = "- (void)stop {\n%s}\n- (void)drop {\n%s}", "    [_timer invalidate];\n"
        for mine, more in (("", ""), ("    [_timer release];\n", "    [_timer release];\n")):
            self.assertEqual(stop % (end + more + "    _timer = nil;\n", end + mine), self.changed(stop % ("", end + mine), manual=True), mine)

    def test_refusals(self) -> None:
        use = "- (id)work {\n    return _timer;\n}\n"
        for body, why in (("- (void)poll {\n    _timer = nil;\n}", "no method where its work ends"), ("- (void)stop {\n}", "does not name"),
                          (use + "- (void)stop {\n}\n- (void)stopPolling {\n}", "more than one method"),
                          (use + "- (void)stop {\n    if (_timer) [_timer invalidate];\n}", "uses it already"),
                          (use + "- (void)stop {\n    if (self) return;\n    [self work];\n}", "left before its end"),
                          (use + "- (void)stop {\n#if A\n    [self work];\n#endif\n}", "#if"),
                          (use + "+ (void)stop {\n}", "no method"), (use + "- (void)stopped {\n}", "no method")):
            self.assertIn(why, self.refused(self.of(body), "--force"), body)
        other = use + "- (void)stop {\n}\n- (void)listen {\n    _timer = [[[NSNotificationCenter alloc] init] addObserverForName:nil];\n}"
        self.assertIn("default one", self.refused(self.of(other, do="remove-token"), "--force"))
        self.assertIn("by its rules", self.refused(self.of(use + "- (void)stop {\n}", do="cancel", manual=True), "--force"))
        said = json.loads(self.answer.read_text())
        said["knots"][0]["rings"] = []
        said["knots"][0]["fixes"][0]["subjects"][0]["edge"]["kind"] = "target"
        self.say(said)
        self.assertIn("by hand", self.refused(POLLER.replace("BODY", use), "--force"))

    def test_what_goes_by_a_name_is_no_certain_fix(self) -> None:
        self.write(self.of("- (void)stop {\n    [self work];\n}\n- (id)work {\n    return _timer;\n}"))
        patch, = json.loads(self.fix("--json").stdout)["patches"]
        self.assertEqual("medium", patch["confidence"])
        self.assertIn("has to be called", patch["rests_on"])


OWNER = """\
__attribute__((objc_root_class)) @interface Root
@end
@interface Owner : Root {
    id extra;
}
@property (copy) void (^handler)(void);
@property (copy) int (^counter)(id sender);
@property (strong) Owner *other;
- (void)finish;
- (void)take:(Owner *)owner with:(int)count then:(void (^)(void))block;
@end
void later(void (^)(void));
@implementation Owner
- (void)finish {}
- (void)take:(Owner *)owner with:(int)count then:(void (^)(void))block {}
BODY
@end
"""


FIRST = OWNER.splitlines().index("BODY") + 1  # the line of the function's head


class Captures(Fix):
    """A weak copy before the statement, a strong one in the block."""

    def of(self, *lines: str, head: str = "- (void)listen", function: str = "-[Owner listen]", variable: str = "self") -> str:
        text = OWNER.replace("BODY", "\n".join([head + " {", *lines, "}"]))
        number = next(i for i, line in enumerate(text.splitlines(), 1) if "^" in line and i > FIRST)
        self.say({**answer(fix(variable, "capture-weakly")),
                  "objects": {"0x1000": {"class": "__NSMallocBlock__", "kind": "block", "invoke":
                                         {"file": "/build/app/Owner.m", "line": number, "function": function}}}})
        said = json.loads(self.answer.read_text())
        for place in (said["knots"][0]["fixes"][0], said["knots"][0]["fixes"][0]["subjects"][0]):
            place["edge"]["kind"] = "capture"
        self.say(said)
        return text

    def changed(self, *lines: str, **more: str) -> List[str]:
        """The function's lines afterwards."""
        before = self.of(*lines, **more)
        self.compile(before, "-Wno-arc-retain-cycles", "-Wno-unused")
        after = self.patched(before, "Owner.m", one_line=False)
        self.compile(after, "-Wno-unused", "-Werror=arc-retain-cycles", "-Wno-arc-repeated-use-of-weak")
        begin = 1 + next(i for i, line in enumerate(after.splitlines()) if line.endswith(" {") and i > FIRST - 2)
        return after.splitlines()[begin:-2]

    def test_self(self) -> None:
        weak = "    __weak __typeof__(self) weakSelf = self;"
        strong = "        __strong __typeof__(weakSelf) strongSelf = weakSelf;"
        ends = ["        if (!strongSelf)", "            return;"]
        self.assertEqual([weak, "    self.handler = ^{", strong, *ends, "        [strongSelf finish];", "    };"],
                         self.changed("    self.handler = ^{", "        [self finish];", "    };"))
        self.assertEqual([weak, "    self.handler = ^{", strong, *ends, "        strongSelf->extra = strongSelf->_other; // self",
                          '        later(strongSelf.handler);', "    };", "    [self finish];"],
                         self.changed("    self.handler = ^{", "        extra = _other; // self", "        later(self.handler);", "    };", "    [self finish];"))
        self.assertEqual(["\tint n = 1;", "\tif (n) {", "\t\t__weak __typeof__(self) weakSelf = self;", "\t\t[self take:0 with:n then:^{",
                          "\t\t\t__strong __typeof__(weakSelf) strongSelf = weakSelf;", "\t\t\tif (!strongSelf)", "\t\t\t\treturn;",
                          "\t\t\tstrongSelf.other = strongSelf;", "\t\t}];", "\t}"],
                         self.changed("\tint n = 1;", "\tif (n) {", "\t\t[self take:0 with:n then:^{", "\t\t\tself.other = self;", "\t\t}];", "\t}"))

    def test_in_one_line(self) -> None:
        self.assertEqual(["    __weak __typeof__(self) weakSelf = self;", "    self.handler = ^{ __strong __typeof__(weakSelf) strongSelf = weakSelf;"
                          " if (!strongSelf) return; [strongSelf finish]; };"], self.changed("    self.handler = ^{ [self finish]; };"))
        self.assertEqual(["    __weak __typeof__(self) weakSelf = self;", "    self.counter = ^int(id sender) {"
                          " __strong __typeof__(weakSelf) strongSelf = weakSelf; return strongSelf.other == sender; };"],
                         self.changed("    self.counter = ^int(id sender) { return self.other == sender; };"))

    def test_other_variables_and_functions(self) -> None:
        self.assertEqual(["    Owner *owner = [self other];", "    __weak __typeof__(owner) weakOwner = owner;", "    owner.handler = ^{",
                          "        __strong __typeof__(weakOwner) strongOwner = weakOwner;", "        if (!strongOwner)", "            return;",
                          "        [strongOwner finish];", "    };"],
                         self.changed("    Owner *owner = [self other];", "    owner.handler = ^{", "        [owner finish];", "    };", variable="owner"))
        self.assertIn("    __weak __typeof__(made) weakMade = made;",
                      self.changed("    made.handler = ^{", "        [made finish];", "    };", variable="made",
                                   head="static void install(Owner *made)", function="install"))
        self.assertIn("    __weak __typeof__(self) weakSelf = self;",
                      self.changed("    later(^(void) {", "        [self finish];", "    });",
                                   head="- (void)wait:(int)count for:(Owner *)owner", function="-[Owner wait:for:]"))

    def test_code_without_arc(self) -> None:
        for lines, after in (
                (("    self.handler = [^{", "        [self finish];", "        extra = 0;", "    } copy];"),
                 ["    __block __typeof__(self) unretainedSelf = self;", "    self.handler = [^{", "        [unretainedSelf finish];",
                  "        unretainedSelf->extra = 0;", "    } copy];"]),
                (("    self.counter = ^int(id sender) { return self.other == sender; };",),
                 ["    __block __typeof__(self) unretainedSelf = self;", "    self.counter = ^int(id sender) { return unretainedSelf.other == sender; };"])):
            before = self.of(*lines).replace("- (void)finish;", "- (void)finish;\n- (id)copy;")
            said = json.loads(self.answer.read_text())
            place = said["knots"][0]["fixes"][0]
            place["subjects"][0]["edge"]["manual"] = place["edge"]["manual"] = True
            said["objects"]["0x1000"]["invoke"]["line"] += 1
            self.say({**said, "weak_references": False})
            patched = self.patched(before, "Owner.m", one_line=False)
            self.assertIn("\n".join(after), patched)
            self.compile(patched, "-fno-objc-arc", "-Wno-unused", "-Wno-incomplete-implementation")
            self.assertIn("without ARC", json.loads(self.again(before))["patches"][0]["rests_on"])

    def again(self, text: str) -> bytes:
        self.write(text, "Owner.m")
        return self.fix("--json").stdout

    def test_line_ends_stay(self) -> None:
        text = self.of("    self.handler = ^{", "        [self finish];", "    };").replace("\n", "\r\n")
        after = self.patched(text, "Owner.m", one_line=False)
        self.assertNotIn("\n", after.replace("\r\n", ""))

    def test_refusals(self) -> None:
        block = ("    self.handler = ^{", "        [self finish];", "    };")
        for lines, more, why in (
                (block, {"function": "-[Owner other]"}, "is not in -[Owner other]"),
                (block, {"function": ""}, "does not say where"),
                (("    self.handler = ^{ later(^{ [self finish]; }); };",), {}, "more than one block"),
                (("    self.handler = ^{", "        later(^{", "            extra = ^int(Owner *self) { return 1; }; });", "    };"), {}, "an argument of it"),
                (("    if (extra)", "        self.handler = ^{", "            [self finish];", "        };"), {}, "without braces"),
                (("    [self finish]; self.handler = ^{", "        [self finish];", "    };"), {}, "another statement is in its line"),
                (("    switch (1) {", "    case 1:", "        [self finish];", "        self.handler = ^{", "            [self finish];", "        };", "    }"),
                 {}, "in a switch"),
                (("    id weakSelf;", *block), {}, "copy already"),
                (("    self.handler = ^{", "        [super finish];", "    };"), {}, "super"),
                (("    self.handler = ^{", "        NSAssert(1, @\"\");", "    };"), {}, "NSCAssert()"),
                (("    self.handler = ^{", "        _unknown = self;", "    };"), {}, "may be an ivar"),
                (("    self.handler = ^{", "        [extra finish];", "        extra = nil;", "        self = nil;", "    };"), {}, "the variable is changed"),
                (("    self.handler = ^{", "        struct { int extra; } pair = { 1 };", "        [self finish];", "    };"), {}, "may be an ivar"),
                (("    self.handler = ^{", "        [extra finish];", "    };"),
                 {"head": "- (void)wait:(id)extra", "function": "-[Owner wait:]"}, "may be an ivar"),
                (("    self.counter = ^int(id sender) {", "        return extra == sender;", "    };"), {}, "where it may not be nil"),
                (("    self.counter = ^int(id self) {", "        return 1;", "    };"), {}, "an argument of it"),
                (("    self.handler = ^{", "#if A", "        [self finish];", "#endif", "    };"), {}, "has an #if"),
                (("    struct { Owner *owner; } pair = { 0 };", "    later(^{", "        [pair.owner finish];", "    });"), {"variable": "pair"},
                 "not seen to be a pointer to an object"),
                (("    Owner *o = [o take:^{", "        [o finish];", "    }];"), {"variable": "o"}, "declared in the same statement"),
                (("    self.handler = ^{", "        [self finish];", "    };", "    [self retain];"), {}, "without ARC"),
                (("    self.handler = ^{", "        later(0);", "    };"), {}, "does not name the variable")):
            text = self.of(*lines, **more)
            self.write(text, "Owner.m")
            done = self.fix("--apply", "--force")
            self.assertEqual((2, b""), (done.returncode, done.stdout), (lines, done.stdout))
            self.assertIn(why, done.stderr.decode(), lines)
            self.assertEqual(text, (self.source / "Owner.m").read_text())
        moved = self.of(*block)
        self.write("// moved\n" * 40 + moved, "Owner.m")
        self.assertRegex(self.fix().stderr.decode(), "no block begins in|is not in")
        self.write(moved, "Owner.m")
        self.write(moved, "copy/Owner.m")
        self.assertIn("more than one source", self.fix().stderr.decode())

    @unittest.skipUnless((FIXTURES / "self_block").exists() and os.path.isdir("/proc/self"), "no fixtures of Objective-C")
    def test_answers_of_real_heaps(self) -> None:
        saved, trouble = snapshots_of([FIXTURES / "self_block"], os.environ["LOUPE"], self.folder, LOUPE_FIXTURE_TRUTH=str(self.folder / "truth"))
        self.assertEqual("", trouble)
        self.answer.write_bytes(self.run_tool("cycles", str(saved[0]), "--json").stdout)
        self.assertIn("1a   capture self weakly in the block at main.m:24", self.text("fix", str(self.answer)))
        self.write((TREE / "tests/fixtures/self_block/main.m").read_text(encoding="utf-8"), "self_block/main.m")
        self.assertEqual(0, self.fix("--apply").returncode)
        patched = (self.source / "self_block" / "main.m").read_text(encoding="utf-8")
        self.assertIn("[strongSelf finish]", patched)
        self.compile(patched, "-I", str(TREE / "tests/fixtures"), "-I", str(TREE / "tests/runtime/include"))


class Answers(Fix):
    def test_json(self) -> None:
        self.write(NODE)
        checked = schema.Schema()
        for choice, status in (("1a", "ok"), ("9z", "error")):
            said = json.loads(self.fix("--json", choice=choice).stdout)
            self.assertEqual((status, []), (said["status"], checked.problems(said)))
        patch, = json.loads(self.fix("--json").stdout)["patches"]
        self.assertEqual(("1a", "Node.m", 5, "high", False), tuple(patch[key] for key in ("fix", "file", "line", "confidence", "applied")))
        self.assertTrue(self.fix().stdout.decode().endswith(patch["diff"]))
        self.say(answer(fix(conditions=["only-holder"])))
        patch, = json.loads(self.fix("--json").stdout)["patches"]
        self.assertEqual("low", patch["confidence"])
        self.assertIn("something else has to keep the object alive", patch["rests_on"])
        self.say(answer(fix(), status="incomplete"))
        patch, = json.loads(self.fix("--json").stdout)["patches"]
        self.assertEqual("low", patch["confidence"])
        self.assertIn("the answer is incomplete", patch["rests_on"])
        self.assertIn("the answer is incomplete", self.fix().stdout.decode())

    def test_hints(self) -> None:
        """What nobody deletes is said, and never written."""
        def leak(name: str, kind: str = "raw", **more: Any) -> Json:
            return {"kind": "leak", "class": name, "object": {"kind": kind, "class": name}, "knot": None, "ring": None, "missing_releases": 0, **more}
        self.say({**answer(), "leaks": [leak("app::Session<int>"), leak("(raw memory)"), leak("Parent (make_shared)"), leak("Session[]"), leak("app.Screen"),
                                        leak("Node", "object"), leak("control block of Task"), leak("Special"), leak("Thing", "object", missing_releases=1)]})
        self.assertEqual(["1a   delete the app::Session<int>, or have a std::unique_ptr own it", "8a   delete the Special, or have a std::unique_ptr own it",
                          "9a   add the missing release of the Thing"], self.text("fix", str(self.answer)).splitlines())
        self.write("struct Special { int x; };\n", "special.cpp")
        done = self.fix(choice="8a")
        self.assertEqual((2, b""), (done.returncode, done.stdout))
        self.assertIn(b"is a hint", done.stderr)

    def test_a_page(self) -> None:
        """Of the answer, with the patches beside their fixes."""
        self.write(NODE)
        self.say({**answer(), "knots": [{"verdict": "leaked", "rings": [{"edges": [edge("_child"), {**edge("_x"), "from": "0x2000", "to": "0x1000"}]}],
                                         "fixes": [fix("_x"), fix()]}]})
        page = self.run_tool("fix", str(self.answer), "--source", str(self.source), "--format", "html").stdout.decode()
        self.assertIn('"diff":["--- a/Node.m","+++ b/Node.m","@@ -2,7 +2,7 @@"," @end",', page)
        self.assertIn('"+@property (nonatomic, weak) Child *child;"', page)
        self.assertEqual(1, page.count('"diff":['))
        self.assertIn('"tried":"Not compiled: there is no libclang on this machine."', page)

    def test_the_list(self) -> None:
        self.say({**answer(), "knots": [{"fixes": [fix(), fix(), fix("_b\x1b")]}, {"fixes": []}, {"fixes": [fix("_c")]}]})
        self.assertEqual(["1a   make Node._child weak", "1b   make Node._b\\x1b weak", "3a   make Node._c weak"],
                         self.text("fix", str(self.answer)).splitlines())
        said = json.loads(self.run_tool("fix", str(self.answer), "--json").stdout)
        self.assertEqual(["1a", "1b", "3a"], [choice["fix"] for choice in said["choices"]])
        self.assertEqual([], schema.Schema().problems(said))

    @unittest.skipUnless((FIXTURES / "two_knots").exists() and os.path.isdir("/proc/self"), "no fixtures of Objective-C")
    def test_answers_of_real_heaps(self) -> None:
        saved, trouble = snapshots_of([FIXTURES / "two_knots"], os.environ["LOUPE"], self.folder, LOUPE_FIXTURE_TRUTH=str(self.folder / "truth"))
        self.assertEqual("", trouble)
        original = (TREE / "tests/fixtures/two_knots/main.m").read_text(encoding="utf-8")
        fixed = set()
        for verb in ("cycles", "leaks"):
            self.answer.write_bytes(self.run_tool(verb, str(saved[0]), "--json").stdout)
            choices = [line.split()[0] for line in self.text("fix", str(self.answer)).splitlines()]
            for choice in choices:
                self.write(original, "main.m")
                done = self.fix("--apply", choice=choice)
                patched = (self.source / "main.m").read_text(encoding="utf-8")
                fixed |= set(patched.splitlines()) - set(original.splitlines())
                if done.returncode:
                    self.assertRegex(done.stderr.decode(), r"main.m:\d+ puts a new object into it")
                self.compile(patched, "-I", str(TREE / "tests/fixtures"), "-I", str(TREE / "tests/runtime/include"))
        # The way back of each cycle; what was made for the way there would be freed at once.
        self.assertEqual({f"@property (nonatomic, weak) {name} *{name.lower()};" for name in ("Login", "Queue")}, fixed)


def before_and_context(diff: str) -> List[str]:
    """The old lines that the only hunk of a diff shows, each at its number; those before it are empty."""
    first = int(diff.split("@@ -")[1].split(",")[0])
    shown = diff.split(" @@\n")[1].splitlines()
    return [""] * (first - 1) + [line[1:] for line in shown if not line.startswith("+")]


class Page(Fix):
    """The samples of docs/fix.md, of sources that are made of them. The one that LLDB prints is compared in
    lldb/live/cycles/test_fix.py."""

    def shown(self, first: str) -> Dict[str, str]:
        """By command, what stands below it, on a machine without libclang."""
        page = (TREE / "docs" / "fix.md").read_text(encoding="utf-8")
        page = page.replace("Compiled by clang without a new warning.", "Not compiled: there is no libclang on this machine.")
        [block] = [block for block in re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S) if block.startswith(first)]
        return dict(re.findall(r"^\$ loupe (.*)\n((?:(?!\$ ).*\n)*)", block, re.M))

    def printed(self, choice: str = "1a") -> str:
        done = self.fix(choice=choice)
        self.assertEqual((0, b""), (done.returncode, done.stderr))
        return "".join(line.rstrip() + "\n" for line in done.stdout.decode().splitlines())

    def test_an_ivar_that_becomes_weak(self) -> None:
        commands = self.shown("$ loupe cycles")
        patch = commands["fix rings.json 1a --source src"]
        header = before_and_context(patch)
        header[0] = "#import <Foundation/Foundation.h>"
        self.write("\n".join(header) + "\n", "Node.h")
        self.write('#import "Node.h"\n@implementation Node\n@end\n')
        self.assertEqual(commands["fix rings.json"], self.text("fix", str(self.answer)))
        self.assertEqual(patch, self.printed())

    def test_an_ivar_of_code_without_arc(self) -> None:
        [[_, patch]] = [item for item in self.shown("$ loupe fix leaks.json 1a\n1a: hold").items()]
        code = before_and_context(patch)
        code[0], code[3] = '#import "MessageView.h"', "@implementation MessageView"
        declared = {"declared": {"file": "MessageView.h", "line": 6}}
        self.write("\n".join([*code, "@end", ""]), "MessageView.m")
        self.write("#import <Foundation/Foundation.h>\n@class MailController;\n\n@interface MessageView : NSObject {\n"
                   "    NSString *_text;\n    MailController *_delegate;\n}\n@end\n", "MessageView.h")
        made = edge("_delegate", manual=True, ownership="assumed", declared_by="MessageView", **declared)
        self.say({**answer(fix(edge=made, subjects=[{"do": "make-weak", "edge": made}]), owner="MessageView"),
                  "weak_references": False})
        self.assertEqual(patch, self.printed())

    def test_where_something_ends(self) -> None:
        [[_, patch]] = [item for item in self.shown("$ loupe fix leaks.json 1a\n1a: invalidate").items()]
        code = before_and_context(patch)
        code[:13] = ["#import <Foundation/Foundation.h>", "static int alive;", "@interface Poller : NSObject {", "    NSTimer *_timer;", "}",
                     "@end", "@implementation Poller", "- (void)start {",
                     "    _timer = [[NSTimer timerWithTimeInterval:1 target:self selector:@selector(poll) userInfo:nil repeats:YES] retain];",
                     "}", "- (void)poll {", "    alive++;", "    [self work];"]
        self.write("\n".join([*code, "}", "@end", ""]), "Poller.m")
        ivar = edge("_timer", manual=True)
        back = {**edge("_target", "target"), "from": "0x2000", "to": "0x1000"}
        said = answer(fix(do="invalidate-before", edge=back, subjects=[{"do": "invalidate-before", "edge": back}]), owner="Poller")
        said["objects"]["0x2000"]["class"] = "NSTimer"
        said["knots"][0]["rings"] = [{"edges": [ivar, back]}]
        self.say(said)
        self.assertEqual(patch, self.printed())


def load_tests(loader: unittest.TestLoader, tests: Any, pattern: Any) -> unittest.TestSuite:
    kinds: List[Any] = [Declarations, Unretained, Endings, Captures, Refusals, Answers, Page]
    return unittest.TestSuite(loader.loadTestsFromTestCase(kind) for kind in kinds)


if __name__ == "__main__":
    unittest.main()
