"""Keys of answers are those of lldb_commands/protocol.py, and these are documented.

mypy finds a misspelt key where a value of its type is asked for, but str(edge.get("form")) passes: it takes any
object. Here each literal key counts that a module asks a dictionary for, if it knows the types of answers.

usage: keys_of_answers.py SOURCE_FOLDER
"""
import ast
import importlib.util
import pathlib
import re
import sys

METHODS = {"get", "setdefault", "pop"}
# Dictionaries that are no part of an answer.
OTHERS = {"options", "values", "os.environ"}
# What a key is looked for in, where the other side of `in` is no text.
PARTS = {"answer", "edge", "item", "knot", "owned", "root", "thing"}
# What modules leave in answers for others of the commands, and nobody else sees.
OURS = {"told", "shown_file", "rows", "named", "subject", "runtime", "nodes", "depth", "last"}


def types_of(path):
    spec = importlib.util.spec_from_file_location("protocol", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: set(kind.__annotations__) for name, kind in vars(module).items()
            if isinstance(kind, type) and kind.__module__ == "protocol"}


def asked_keys(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS \
                and node.args and ast.unparse(node.func.value) not in OTHERS:
            key = node.args[0]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)) \
                and isinstance(node.comparators[0], ast.Name) and node.comparators[0].id in PARTS:
            key = node.left
        else:
            continue
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield node.lineno, key.value


def main(source):
    folder = pathlib.Path(source)
    types = types_of(folder / "lldb_commands" / "protocol.py")
    keys = set().union(*types.values())
    found = []
    modules = 0
    for path in sorted((folder / "lldb_commands").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not re.search(r"^from \.+(?:protocol import| import .*\bprotocol\b)", text, re.M):
            continue
        modules += 1
        found += [f"{path.relative_to(folder)}:{line}: no answer has the key {key}"
                  for line, key in asked_keys(ast.parse(text)) if key not in keys]
    documented = "".join((folder / "docs" / name).read_text(encoding="utf-8")
                         for name in ("protocol.md", "protocol_heaps.md", "schema/answers.schema.json"))
    found += [f"docs/protocol.md: {name} has {key}, which nothing there says" for name, its in sorted(types.items())
              for key in sorted(its - OURS) if not re.search(rf'[`"]{re.escape(key)}[`"]', documented)]
    print(*found, sep="\n")
    return 1 if found or modules < 30 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
