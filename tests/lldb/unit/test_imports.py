"""How the modules of the commands depend on each other: in no circle, and rendering on no lldb."""
import ast
import pathlib
import unittest

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "lldb_commands"


def name_of(path):
    """("render", "words") for render/words.py, ("render",) for its package."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


PACKAGES = {name_of(path) for path in PACKAGE.rglob("__init__.py")}
MODULES = {name_of(path): ast.parse(path.read_text(encoding="utf-8"))
           for path in PACKAGE.rglob("*.py")}


def imports(module):
    """The modules of the package that a module names in imports, at its top or inside functions."""
    for node in ast.walk(MODULES[module]):
        if isinstance(node, ast.ImportFrom) and node.level:
            level = node.level - (module in PACKAGES)  # in a package one dot is the package itself
            above = module[:len(module) - level]
            base = above + tuple((node.module or "").split(".") if node.module else ())
            for alias in node.names:
                yield base + (alias.name,) if base + (alias.name,) in MODULES else base


def reachable(module):
    found, left = set(), [module]
    while left:
        for imported in imports(left.pop()):
            if imported not in found:
                found.add(imported)
                left.append(imported)
    return found


def names_lldb(module):
    return any(isinstance(node, ast.Import) and any(alias.name == "lldb" for alias in node.names)
               for node in ast.walk(MODULES[module]))


class Imports(unittest.TestCase):
    def test_every_import_is_of_a_module_that_is_there(self):
        for module in MODULES:
            for imported in imports(module):
                self.assertIn(imported, MODULES, f"{module} imports {imported}")

    def test_no_module_leads_back_to_itself(self):
        self.assertEqual([], [module for module in MODULES if module in reachable(module)])

    def test_rendering_needs_no_lldb(self):
        rendering = {module for module in MODULES if module[0:1] == ("render",)}
        self.assertGreater(len(rendering), 3)
        for module in rendering:
            needed = {module} | reachable(module)
            self.assertEqual([], [other for other in needed if names_lldb(other)], module)


if __name__ == "__main__":
    unittest.main()
