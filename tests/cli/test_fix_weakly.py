"""loupe fix: collections that hold weakly, observers that are removed, __block variables that do not keep,
missing releases, std::weak_ptr."""
import json
import re
from typing import Any, List

from test_fix import ROOT, Fix, answer, edge, fix

TABLES = ROOT + """\
#define nil 0
typedef signed char BOOL;
@interface NSMapTable : Root
+ (NSMapTable *)strongToStrongObjectsMapTable;
+ (NSMapTable *)strongToWeakObjectsMapTable;
- (void)setObject:(id)object forKey:(id)key;
@end
"""
STORE = ROOT + """\
@interface Store : Root
DECLARED
- (void)addObserver:(id)observer;
- (void)removeObserver:(id)observer;
@end
@implementation Store
CODE
- (void)addObserver:(id)observer {
    [_observers addObject:observer];
}
- (void)removeObserver:(id)observer {
    [_observers removeObject:observer];
}
@end
@interface Basket : Root {
    Store *_store;
}
@end
@implementation Basket
- (id)store {
    return _store;
}
- (void)close {
}
@end
"""
ARRAY = "@property (nonatomic, strong) NSMutableArray *observers;"
MADE = "- (void)make {\n    _observers = [[NSMutableArray alloc] init];\n}"


class Collections(Fix):
    """0x1000 is who has the collection 0x3000, which has 0x2000."""

    def say_of(self, do: str, kind: str, ivar: str, owner: str, **more: Any) -> None:
        held = {**edge("[0]", kind), "from": "0x3000"}
        has = {**edge(ivar), "to": "0x3000"}
        back = {**edge("_store"), "from": "0x2000", "to": "0x1000"}
        said = answer({"do": do, "subjects": [{"do": do, "edge": held, "in": has}], "edge": held, "breaks": "knot", "frees": True,
                       "conditions": []}, owner=owner, **more)
        said["objects"]["0x2000"]["class"] = "Basket"
        said["knots"][0]["rings"] = [{"edges": [has, held, back]}]
        self.say(said)

    def store(self, code: str = MADE, declared: str = ARRAY) -> str:
        return STORE.replace("DECLARED", declared).replace("CODE", code)

    def test_tables(self) -> None:
        text = TABLES + "@interface Seat : Root {\n    NSMapTable *_seats;\n}\n@end\n@implementation Seat\n- (void)make {\n    %s\n}\n@end\n"
        for kind, do, before, after in (
                ("value", "take-out", "_seats = [NSMapTable strongToStrongObjectsMapTable];", "_seats = [NSMapTable strongToWeakObjectsMapTable];"),
                ("key", "weak-keys", "self->_seats = [NSMapTable strongToWeakObjectsMapTable];", "self->_seats = [NSMapTable weakToWeakObjectsMapTable];"),
                ("key", "weak-keys", "_seats = [NSMapTable mapTableWithKeyOptions:NSPointerFunctionsStrongMemory valueOptions:NSPointerFunctionsStrongMemory];",
                 "_seats = [NSMapTable mapTableWithKeyOptions:NSPointerFunctionsWeakMemory valueOptions:NSPointerFunctionsStrongMemory];"),
                ("element", "take-out", "_seats = [NSPointerArray strongObjectsPointerArray];", "_seats = [NSPointerArray weakObjectsPointerArray];"),
                ("element", "take-out", "_seats = [[NSHashTable alloc] initWithOptions:NSPointerFunctionsStrongMemory capacity:4];",
                 "_seats = [[NSHashTable alloc] initWithOptions:NSPointerFunctionsWeakMemory capacity:4];")):
            self.say_of(do, kind, "_seats", "Seat")
            self.assertIn(after, self.patched(text % before))
        self.say_of("take-out", "value", "_seats", "Seat")
        for made, why in (("_seats = [NSMapTable weakToWeakObjectsMapTable];", "holds weakly already"), ("_seats = [self table];", "not seen how"),
                          ("_seats = table;", "not understood"), ("_seats = nil;", "no place is found"),
                          ("_seats = [NSMutableDictionary new];", "not seen how"),
                          ("_seats = [[NSMutableArray alloc] init];", "may have no other owner"),
                          ("\n#if A\n    _seats = [NSMapTable strongToStrongObjectsMapTable];\n#endif", "#if")):
            self.assertIn(why, self.refused(text % made), made)
        self.say_of("take-out", "value", "_seats", "Seat", weak_references=False)
        self.assertIn("no weak references", self.refused(text % "_seats = [NSMapTable strongToStrongObjectsMapTable];"))

    def test_observers(self) -> None:
        self.say_of("remove-observer", "element", "_observers", "Store")
        for declared, made in ((ARRAY, "_observers = [[NSMutableArray alloc] init];"),
                               ("{\n    NSMutableSet<id> *_observers;\n}", "_observers = [NSMutableSet set];"),
                               ("@property (strong) NSMutableArray<id> *observers;", "self.observers = [NSMutableArray arrayWithCapacity:4];")):
            text = self.patched(self.store(f"- (void)make {{\n    {made}\n}}\n- (void)tell {{\n    if (!_observers)\n        return;\n"
                                           "    for (id each in _observers) [each tell];\n}", declared), one_line=False)
            self.assertIn("= [NSHashTable weakObjectsHashTable];", text)
            self.assertIn("NSHashTable", text.split("@implementation Store")[0])
            self.assertNotIn("NSMutable", text)

    def test_observers_that_cannot_be_held_weakly(self) -> None:
        """Then they are removed where their work ends, by what the collection's owner has for it."""
        self.say_of("remove-observer", "element", "_observers", "Store")
        for use in ("[_observers objectAtIndex:0];", "[_observers makeObjectsPerformSelector:@selector(tell)];", "(void)[_observers copy];",
                    "[self take:_observers];", "_observers[0];"):
            text = self.patched(self.store(MADE + f"\n- (void)tell {{\n    {use}\n}}"), one_line=False)
            self.assertIn("- (void)close {\n    [_store removeObserver:self];\n}", text, use)
            self.assertIn("NSMutableArray *observers", text)

    def test_refusals(self) -> None:
        use = MADE + "\n- (void)tell {\n    [_observers objectAtIndex:0];\n}"
        self.say_of("remove-observer", "element", "_observers", "Store")
        for text, why in ((self.store(use).replace("removeObject:", "remove:"), "no method is found that takes"),
                          (self.store(use + "\n- (void)drop:(id)x {\n    [_observers removeObject:x];\n}"), "more than one method takes"),
                          (self.store(use).replace("- (void)close {\n", "- (void)close {\n    [_store removeObserver:self];\n"), "uses it already"),
                          (self.store(use).replace("- (void)close", "- (void)shut"), "no method where its work ends"),
                          ("// DO NOT EDIT\n" + self.store(), "generated")):
            self.assertIn(why, self.refused(text), text)
        self.say_of("remove-observer", "element", "_observers\n", "Store")
        self.assertIn("no method is found that takes", self.refused(self.store(use)))


FUNCTION = ROOT + """\
void later(void (^)(void));
@interface Child : Root
@property int plays;
@end
@implementation Child
@end
void run(Child *child) {
BODY
}
"""


class BlockVariables(Fix):
    def of(self, *lines: str, variable: str = "it") -> str:
        text = FUNCTION.replace("BODY", "\n".join("    " + line for line in lines))
        number = next(i for i, line in enumerate(text.splitlines(), 1) if re.search(r"\^(\{|\(int left)", line))
        capture = {**edge(variable, "capture"), "from": "0x3000", "to": "0x1000"}
        said = answer({"do": "make-weak", "subjects": [{"do": "make-weak", "edge": edge("+0x28", "byref")}], "edge": edge("+0x28", "byref"),
                       "breaks": "knot", "frees": True, "conditions": []})
        said["objects"] = {"0x1000": {"class": "__block variable", "kind": "byref"},
                           "0x3000": {"class": "__NSMallocBlock__", "kind": "block",
                                      "invoke": {"file": "Node.m", "line": number, "function": "run"}}}
        said["knots"][0]["rings"] = [{"edges": [capture, edge("+0x28", "byref")]}]
        self.say(said)
        return text

    def changed(self, *lines: str, **more: str) -> List[str]:
        text = self.patched(self.of(*lines, **more), one_line=False)
        self.compile(text, "-Wno-arc-repeated-use-of-weak")
        return [line[4:] for line in text.split("void run(Child *child) {\n")[1].splitlines()[:-1]]

    def test_objects(self) -> None:
        self.assertEqual(["__block __weak Child *it = child;", "later(^{ it.plays++; });"],
                         self.changed("__block Child *it = child;", "later(^{ it.plays++; });"))
        self.assertEqual(["__block __weak id it;", "it = child;", "later(^{ [it plays]; it = child; });"],
                         self.changed("__block id it;", "it = child;", "later(^{ [it plays]; it = child; });"))

    def test_a_block_that_calls_itself(self) -> None:
        self.assertEqual(["__weak __block void (^weakIt)(int);", "void (^it)(int);", "weakIt = it = ^(int left) {", "    if (left)",
                          "        weakIt(left - 1);", "};", "it(3);"],
                         self.changed("__block void (^it)(int);", "it = ^(int left) {", "    if (left)", "        it(left - 1);", "};", "it(3);"))

    def test_refusals(self) -> None:
        call = "later(^{ it.plays++; });"
        for lines, why in ((("__block Child *it = [[Child alloc] init];", call), "no other owner"),
                           (("__block Child *it = child, *other = 0;", call), "others are declared"),
                           (("__block __weak Child *it = child;", call), "weak already"),
                           (("__block Child *it = child;", "later(^{ it->plays++; });"), "its ivar is used"),
                           (("Child *it = child;", call), "declaration of the __block variable is not found"),
                           (("__block struct { Child *c; } it = { child };", "later(^{ it.c = 0; });"), "is not found"),
                           (("__block void (^it)(void) = 0;", "later(^{ it(); });"), "more than one of a block"),
                           (("__block void (^it)(void);", "it = later;", "later(^{ it(); });"), "given something else")):
            self.assertIn(why, self.refused(self.of(*lines)), lines)
        said = json.loads(self.answer.read_text())
        said["knots"][0]["rings"] = []
        self.say(said)
        self.assertIn("by hand", self.fix().stderr.decode())


MADE_OF = ROOT + """\
@interface Thing : Root
@end
@implementation Thing
@end
@interface Box : Root {
    Thing *_thing;
}
@end
@implementation Box
CODE
- (void)dealloc {
    [_thing release];
    [super dealloc];
}
@end
"""


class Releases(Fix):
    """An entry without a loop: what nobody holds is released where it is kept too long, if that is one place."""

    def setUp(self) -> None:
        super().setUp()
        self.say({"loupe": 1, "query": "leaks", "status": "ok", "weak_references": False, "objects": {},
                  "leaks": [{"kind": "leak", "class": "Thing", "missing_releases": 1, "knot": None}]})

    def code(self, *lines: str, head: str = "- (void)use:(id)other") -> str:
        return MADE_OF.replace("CODE", "\n".join([head + " {", *("    " + line for line in lines), "}"]))

    def changed(self, *lines: str, head: str = "- (void)use:(id)other") -> List[str]:
        text = self.patched(self.code(*lines, head=head), one_line=False)
        return [line[4:] for line in text.split(head + " {\n")[1].split("\n}\n")[0].splitlines()]

    def test_where_it_is_released(self) -> None:
        make = "Thing *thing = [[Thing alloc] init];"
        for before, after in (
                ((make, "[other addObject:thing];"), (make, "[other addObject:thing];", "[thing release];")),
                ((make, "if (other)", "    return;", "[thing release];"),
                 (make, "if (other) {", "    [thing release];", "    return;", "}", "[thing release];")),
                ((make, "if (other) {", "    return;", "}", "[thing release];"),
                 (make, "if (other) {", "    [thing release];", "    return;", "}", "[thing release];")),
                (("_thing = [other retain];",), ("[_thing autorelease];", "_thing = [other retain];")),
                (("[other addObject:[[Thing alloc] init]];",), ("[other addObject:[[[Thing alloc] init] autorelease]];",))):
            self.assertEqual(list(after), self.changed(*before))
        self.assertEqual(["return [[Thing new] autorelease];"], self.changed("return [Thing new];", head="- (id)thing"))

    def test_refusals(self) -> None:
        make = "Thing *thing = [[Thing alloc] init];"
        for lines, head, why in (
                ((make, "[thing release];"), "- (void)use:(id)other", "no place is seen"),
                ((make, "[other adopt:thing];"), "- (void)use:(id)other", "no place is seen"),
                ((make, "keep(thing);"), "- (void)use:(id)other", "no place is seen"),
                ((make, "_thing = thing;"), "- (void)use:(id)other", "no place is seen"),
                ((make, "[other adopt:thing];", "}", "- (void)adopt:(id)given {", "    _thing = given;"), "- (void)use:(id)other", "no place is seen"),
                ((make, "[other addObject:thing];", make.replace("thing =", "more ="), "[other addObject:more];"), "- (void)use:(id)other", "more than one"),
                ((make, "[other addObject:thing];", "later([[Thing alloc] init]);"), "- (void)use:(id)other", "not understood"),
                (("return [[Thing alloc] init];",), "- (id)newThing", "no place is seen"),
                (("return [[Thing alloc] init];",), "- (id)copyWithZone:(id)zone", "no place is seen"),
                ((make, "[other addObject:thing]; }",  "- (void)more { }", "- (void)most {"), "- (void)use:(id)other", "no line of its own")):
            self.assertIn(why, self.refused(self.code(*lines, head=head)), lines)
        self.assertIn("generated", self.refused("// @generated\n" + self.code(make, "[other addObject:thing];")))
        said = json.loads(self.answer.read_text())
        for name in ("NSObject", "Thing (storage)", "a\x1b"):
            said["leaks"][0]["class"] = name
            self.say(said)
            self.assertIn("has no fix 1a", self.refused())


CHILD = """\
class Parent;
struct Child {
    std::shared_ptr<Parent> parent;
    void tell();
};
"""


class WeakPointers(Fix):
    def say_of(self, do: str, owner: str, held: str = "app::Parent (make_shared)") -> None:
        said = answer(fix("+0", do, edge=edge("+0", "shared-ptr"), subjects=[{"do": do, "edge": edge("+0", "shared-ptr")}]), owner=owner)
        said["objects"]["0x2000"]["class"] = held
        self.say(said)

    def test_members(self) -> None:
        self.say_of("weak-ptr", "Child (make_shared)")
        for before, after in (("return parent;", "return parent.lock();"), ("parent->told++;", "parent.lock()->told++;"),
                              ("(*parent).told++;", "(*parent.lock()).told++;"), ("if (!this->parent) parent.reset();", "if (!this->parent.lock()) parent.reset();"),
                              ("parent = other;", "parent = other;"), ("take(parent);", "take(parent.lock());")):
            text = self.patched(f"{CHILD}void Child::tell() {{\n    {before}\n}}\n", "Child.cpp", one_line=False)
            self.assertEqual(CHILD.replace("shared", "weak") + f"void Child::tell() {{\n    {after}\n}}\n", text)
        text = CHILD + "struct Other {\n    int parent;\n};\nvoid Child::tell() {\n    this->parent->told(parent);\n}\n"
        self.assertIn("    this->parent.lock()->told(parent.lock());\n", self.patched(text, "Child.cpp", one_line=False))
        text = self.patched(CHILD + "void make() {\n    auto parent = one();\n    child->parent = parent;\n}\n", "Child.cpp")
        self.assertIn("    auto parent = one();\n    child->parent = parent;\n", text, "a variable of that name is another one")

    def refused_of(self, text: str) -> str:
        self.write(text, "Child.cpp")
        done = self.fix("--apply", "--force")
        self.assertEqual((2, b"", text), (done.returncode, done.stdout, (self.source / "Child.cpp").read_text()), text)
        return done.stderr.decode()

    def test_members_refused(self) -> None:
        self.say_of("weak-ptr", "Child (make_shared)")
        for body, why in (("parent = std::make_shared<Parent>();", "no other owner"), ("take(std::move(parent));", "it is moved"),
                          ("auto &it = parent; take(&parent);", "referred to"), ("take([parent] {});", "captured"),
                          ("parent.swap(other);", "does not do that"), ("Parent *parent = 0;", "another variable"),
                          ("\n#if A\n    parent->tell();\n#endif", "#if")):
            self.assertIn(why, self.refused_of(f"{CHILD}void Child::tell() {{\n    {body}\n}}\n"), body)
        for text, why in ((CHILD.replace("parent;", "parent = nullptr;"), "more than its name"),
                          (CHILD.replace("parent;", "parent;\n    std::shared_ptr<Parent> other;"), "not exactly one std::shared_ptr"),
                          (CHILD + CHILD, "not declared exactly once"), (CHILD.replace("Child", "Other"), "not declared exactly once"),
                          (CHILD + "struct Other {\n    int parent;\n};\nint f(Other *o) {\n    return o->parent;\n}\n", "another class has a member"),
                          ("// @generated\n" + CHILD, "generated"), ("// R\nauto text = R\"(a)\"; // Child\n" + CHILD, "raw")):
            self.assertIn(why, self.refused_of(text), text)
        self.say_of("weak-ptr", "(raw memory)")
        self.assertIn("is the name of a class", self.refused_of(CHILD))

    def test_lambdas(self) -> None:
        self.say_of("capture-weak-ptr", "Screen::listen()::{lambda()#1} (std::function)")
        head = "void Screen::listen(const std::shared_ptr<app::Parent> &it) {\n"
        text = self.patched(head + "    handler = [it, this] { it->run(); };\n}\n", "Child.cpp")
        self.assertIn("    handler = [weakIt = std::weak_ptr<app::Parent>(it), this] { auto it = weakIt.lock(); if (!it) return; it->run(); };\n", text)
        for body, why in (("handler = [it] { return it->run(); };", "gives a value back"), ("handler = [it]() -> int { return 1; };", "says what it gives back"),
                          ("handler = [it] { then([] {}); };", "another lambda"), ("handler = [=] { it->run(); };", "no lambda"),
                          ("handler = [other] {};", "no lambda"), ("handler = [it] {}; other = [it] {};", "more than one lambda"),
                          ("int weakIt; handler = [it] {};", "name like that already")):
            self.assertIn(why, self.refused_of(head + f"    {body}\n}}\n"), body)
        self.assertIn("no lambda", self.refused_of(head.replace("listen", "speak") + "    listen();\n    handler = [it] {};\n}\n"))
        self.say_of("capture-weak-ptr", "Screen::listen()::{lambda()#1} (std::function)", "app::(anonymous namespace)::Parent")
        self.assertIn("not a lambda in a function", self.refused_of(head + "    handler = [it] {};\n}\n"))
