"""loupe fix: properties of Swift that become weak, closures that capture self weakly, and what is refused."""
import json
from typing import Any

from test_fix import Fix, answer, edge, fix

CHILD = """\
import Foundation

final class Child: NSObject {
    // var parent: Parent?
    let name = "of \\(self.count) \\"var\\" {"
    PROPERTY
    func tell() { parent?.told += 1 }
}
"""
SCREEN = """\
class Screen {
    private var onDone: ((Int) -> Void)?
    var taps = 0

    func listen() {
CLOSURE
    }
}
"""


class Swift(Fix):
    def say_of(self, do: str, kind: str, owner: str, held: str, name: str) -> None:
        said = answer(fix(name, do, edge=edge(name, kind), subjects=[{"do": do, "edge": edge(name, kind)}]), owner=owner)
        said["objects"]["0x2000"]["class"] = held
        self.say(said)

    def refused_of(self, text: str, name: str = "Child.swift") -> str:
        self.write(text, name)
        done = self.fix("--apply", "--force")
        self.assertEqual((2, b"", text), (done.returncode, done.stdout, (self.source / name).read_text()), text)
        return done.stderr.decode()


class Properties(Swift):
    def setUp(self) -> None:
        super().setUp()
        self.say_of("make-weak", "ivar", "app.Child", "app.Parent", "parent")

    def test_a_weak_var(self) -> None:
        for before, after in (("var parent: Parent?", "weak var parent: Parent?"), ("private var parent: Parent? = nil", "private weak var parent: Parent? = nil"),
                              ("var parent: Parent<Int, app.Key>?", "weak var parent: Parent<Int, app.Key>?"),
                              ("public private(set) var parent: app.Parent?", "public private(set) weak var parent: app.Parent?"),
                              ("@objc var parent : Parent? // var", "@objc weak var parent : Parent? // var")):
            self.assertEqual(CHILD.replace("PROPERTY", after), self.patched(CHILD.replace("PROPERTY", before), "Child.swift"))
        text = "protocol Above: AnyObject {}\n" + CHILD.replace("PROPERTY", "var parent: Above? /* /* = */ */")
        self.assertIn("weak var parent: Above?", self.patched(text, "Child.swift"))
        text = CHILD.replace("PROPERTY", "var parent: Parent?") + "func make(child: Child) { let parent = Parent(), other = 1; child.parent = parent }\n"
        self.assertIn("weak var parent: Parent?", self.patched(text, "Child.swift"))
        self.say_of("make-weak", "ivar", "app.Child<Swift.Int>", "app.Parent", "parent")
        self.patched(CHILD.replace("Child:", "Child<T>:").replace("PROPERTY", "var parent: Parent?"), "Child.swift")

    def test_refusals(self) -> None:
        for declared, why in (("var parent: Parent", "plain optional"), ("var parent: [Parent]?", "plain optional"), ("var parent: (Parent)?", "plain optional"),
                              ("weak var parent: Parent?", "weak already"), ("lazy var parent: Parent? = nil", "weak ones cannot be"),
                              ("let parent: Parent?", "no var parent"), ("var parent = Parent()", "no var parent"),
                              ("var parent: Above?", "not seen to be one of classes"), ("var parent: Parent? = make()", "initial value"),
                              ("var parent: Parent? { didSet { } }", "code of its own"), ("#if A\n    var parent: Parent?\n#endif", "in an #if"),
                              ("var parent: Parent?\n    func make() { parent = Parent() }", "new object")):
            self.assertIn(why, self.refused_of(CHILD.replace("PROPERTY", declared)), declared)
        text = CHILD.replace("PROPERTY", "var parent: Parent?")
        for more, why in (('let a = """\n{\n"""\n', "Child.swift"), ('let a = #"{"#\n', "Child.swift"), ("let a = /[{]/\n", "Child.swift"),
                          ('let a = "\\(b["{"])"\n', "Child.swift"), ("/* /* */\n", "Child.swift"), ("#if A\n", "Child.swift"),
                          ("// DO NOT EDIT\n", "generated"), (text, "2 times")):
            self.assertIn(why, self.refused_of(more + text), more)
        self.assertIn("0 times", self.refused_of(text.replace("class Child", "struct Child")))
        self.say_of("make-weak", "ivar", "app.Child", "app.Parent", "parent\n")
        self.assertIn("not a name of Swift", self.refused_of(text))

    def test_sources_of_objective_c_beside_it(self) -> None:
        """Each is searched for its own: what is not understood of the other is in nobody's way."""
        self.write('let a = """\nNode { _child\n"""\n', "Other.swift")
        self.say(answer(fix()))
        self.patched("@interface Node\n@property (strong) id child;\n@end\n@implementation Node\n@end\n")


class Closures(Swift):
    def setUp(self) -> None:
        super().setUp()
        self.say_of("capture-weakly", "capture", "app.Screen", "app.Screen", "onDone")

    def of(self, *lines: str) -> str:
        return SCREEN.replace("CLOSURE", "\n".join("        " + line for line in lines))

    def test_weak_self(self) -> None:
        guard = "guard let self = self else { return }"
        for before, after in (
                (("onDone = { taps in", "    self.taps += taps", "}"), ("onDone = { [weak self] taps in", "    " + guard, "    self.taps += taps", "}")),
                (("self.onDone = { self.taps += $0 }",), (f"self.onDone = {{ [weak self] in {guard}; self.taps += $0 }}",)),
                (("onDone = {", "    if $0 > 1 {", "        self.taps += $0", "    } else {", "        self.taps = 0", "    }", "}"),
                 ("onDone = { [weak self] in", "    " + guard, "    if $0 > 1 {", "        self.taps += $0", "    } else {", "        self.taps = 0", "    }", "}")),
                (("onDone = { [other] (taps: Int) in", "    self.taps += other", "}"),
                 ("onDone = { [weak self, other] (taps: Int) in", "    " + guard, "    self.taps += other", "}"))):
            self.assertEqual(self.of(*after), self.patched(self.of(*before), "Screen.swift", one_line=False))

    def test_another_class_has_a_property_of_that_name(self) -> None:
        other = SCREEN.replace("Screen", "Other").replace("CLOSURE", "        onDone = { self.taps += $0 }")
        self.assertIn("no closure", self.refused_of(self.of("onDone = handler") + other, "Screen.swift"))
        text = self.of("onDone = handler") + other + "extension Screen {\n    func more() {\n        onDone = { self.taps += $0 }\n    }\n}\n"
        self.assertIn("more() {\n        onDone = { [weak self] in", self.patched(text, "Screen.swift"))

    def test_line_ends_stay(self) -> None:
        text = self.of("onDone = { taps in", "    self.taps += taps", "}").replace("\n", "\r\n")
        self.assertNotIn("\n", self.patched(text, "Screen.swift", one_line=False).replace("\r\n", ""))

    def test_refusals(self) -> None:
        for lines, why in ((("onDone = { [weak self] taps in", "    self?.taps += taps", "}"), "how it captures self"),
                           (("onDone = { [unowned self] taps in self.taps += taps }",), "how it captures self"),
                           (("onDone = { (taps: Int) -> Void in self.taps += taps }",), "what it gives back"),
                           (("onDone = { taps in", "    later { self.taps += taps }", "}"), "another closure"),
                           (("onDone = { taps in", "    other = { self.taps += taps }", "}"), "another closure"),
                           (("onDone = { taps in", "    if all.map({ $0 }) == self.all {", "    }", "}"), "another closure"),
                           (("onDone = { taps in print(taps) }",), "does not name self"),
                           (("onDone = { taps in", "#if A", "    self.taps += taps", "#endif", "}"), "#if"),
                           (("onDone = handler",), "no closure"), (("onDone = { self.taps += $0 }", "onDone = { self.taps -= $0 }"), "more than one closure"),
                           (("other.onDone = { self.taps += $0 }",), "another object is given")):
            self.assertIn(why, self.refused_of(self.of(*lines), "Screen.swift"), lines)
        text = self.of("onDone = { self.taps += $0 }")
        self.assertIn("give nothing back", self.refused_of(text.replace("-> Void", "-> Int"), "Screen.swift"))
        self.say_of("capture-weakly", "capture", "app.Screen", "app.Player", "onDone")
        self.assertIn("by hand", self.refused_of(text, "Screen.swift"))


PLACES = """\
class Form {
    var sent = 0
    func bind(_ button: Button) {
CLOSURE
    }
}
extension Form {
    static func other() { later { print(1) } }
}
"""


class Places(Swift):
    """Closures by the line that the answer has."""

    def of(self, *lines: str, name: str = "self", held: str = "app.Form") -> str:
        text = PLACES.replace("CLOSURE", "\n".join("        " + line for line in lines))
        number = next(i for i, line in enumerate(text.splitlines(), 1) if "{ " in line + " " and i > 3)
        self.say_of("capture-weakly", "capture", "app.Button", held, name)
        said = json.loads(self.answer.read_text())
        for place in (said["knots"][0]["fixes"][0], said["knots"][0]["fixes"][0]["subjects"][0]):
            place["edge"]["closure"] = f"closure #1 in Form.bind() at Form.swift:{number}"
        self.say(said)
        return text

    def test_weak_self(self) -> None:
        guard = "guard let self = self else { return }"
        for before, after in ((("button.onTap { self.sent += 1 }",), (f"button.onTap {{ [weak self] in {guard}; self.sent += 1 }}",)),
                              (("later(after: 1, do: {", "    self.sent += 1", "    self.bind(button)", "})"),
                               ("later(after: 1, do: { [weak self] in", "    " + guard, "    self.sent += 1", "    self.bind(button)", "})")),
                              (("button.actions.append { taps in", "    self.bind(button)", "    return", "}"),
                               ("button.actions.append { [weak self] taps in", "    " + guard, "    self.bind(button)", "    return", "}"))):
            text = self.of(*before)
            self.assertEqual(self.of(*after), self.patched(text, "Form.swift", one_line=False))

    def test_refusals(self) -> None:
        for lines, why in ((("button.count { self.sent }",), "give nothing back"), (("button.count { self.more() }",), "give nothing back"),
                           (("button.count {", "    let n = self.sent", "    return n", "}"), "give nothing back"),
                           (("button.count {", "    self", "        .sent", "}"), "give nothing back"), (("a { self.sent += 1 }; b { self.sent -= 1 }",), "more than one closure"),
                           (("if button.isOn { self.sent += 1 }",), "no closure begins"), (("let x: Int = 1; func f() { self.sent = 1 }",), "no closure begins"),
                           (("later { x in", "    other { self.sent += 1 }", "}"), "another closure"), (("button.onTap { print(1) }",), "does not name self"),
                           (("button.onTap { [weak self] in self?.sent += 1 }",), "how it captures self")):
            self.assertIn(why, self.refused_of(self.of(*lines), "Form.swift"), lines)
        text = self.of("button.onTap { self.sent += 1 }")
        self.assertIn("no closure begins", self.refused_of("// moved\n" * 40 + text, "Form.swift"))
        self.of("button.onTap { self.sent += 1 }", held="app.Other")
        self.assertIn("is declared 0 times", self.refused_of(text + "// Other\n", "Form.swift"))
        self.of("button.onTap { self.sent += 1 }", held="app.Other")
        self.assertIn("not in code of the class", self.refused_of(text + "class Other {}\n", "Form.swift"))


def load_tests(loader: Any, tests: Any, pattern: Any) -> Any:
    suite = type(tests)()
    for kind in (Properties, Closures, Places):
        suite.addTests(loader.loadTestsFromTestCase(kind))
    return suite
