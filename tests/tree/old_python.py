"""The commands run in the oldest Python that they have to, Xcode's: 3.9.

usage: old_python.py syntax PROJECT_FOLDER    what newer versions added to the language, by any Python
       old_python.py run PROJECT_FOLDER       by a true 3.9: every module is imported, with a stub in
                                              lldb's place, and the tests without lldb are run;
                                              exit status 77 where there is none

LOUPE_PYTHON39 names one; else it is python3.9 by PATH, or pyenv's.
"""
import ast
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import Iterator, List, Optional

VERSION = (3, 9)
SKIPPED = 77
# Whatever is asked of it is there: bases of classes, numbers, functions.
STUB = '''
import sys
class _Anything(int):
    def __new__(cls, *arguments, **named): return int.__new__(cls, 0)
    def __getattr__(self, name): return _Anything()
    def __call__(self, *arguments, **named): return _Anything()
def __getattr__(name):
    if name.startswith("__"): raise AttributeError(name)
    return type(name, (), {"__getattr__": lambda self, name: _Anything()}) \\
        if name.startswith("SB") else _Anything()
'''
IMPORT_ALL = '''
import importlib, pkgutil, sys
import lldb_commands
names = [module.name for module in pkgutil.walk_packages(lldb_commands.__path__, "lldb_commands.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(len(names), "modules imported by", sys.version.split()[0])
'''


def sources(project: pathlib.Path) -> List[pathlib.Path]:
    return sorted((project / "lldb_commands").rglob("*.py"))


def newer(path: pathlib.Path) -> Iterator[str]:
    """What of a file an older Python would not take."""
    text = path.read_text(encoding="utf-8")
    try:
        tree = ast.parse(text, str(path), feature_version=VERSION)
    except SyntaxError as error:
        yield f"{path}:{error.lineno}: {error.msg}"
        return
    imports = [node for node in tree.body
               if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    if tree.body[1:] and not any(alias.name == "annotations" for node in imports
                                 for alias in node.names):
        yield f"{path}: without `from __future__ import annotations`, int | None is evaluated"
    for node in ast.walk(tree):
        if type(node).__name__ in ("Match", "TryStar", "TypeAlias"):
            yield f"{path}:{getattr(node, 'lineno', 0)}: {type(node).__name__}"
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if (getattr(node.func, "id", ""), keyword.arg) in (
                        ("zip", "strict"), ("dataclass", "slots"), ("dataclass", "kw_only")):
                    yield f"{path}:{node.lineno}: {keyword.arg}= is newer"


def python39() -> Optional[str]:
    """A Python of that very version."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    found = sorted(str(path) for path in pyenv.glob("versions/3.9*/bin/python3.9"))
    for path in (os.environ.get("LOUPE_PYTHON39"), shutil.which("python3.9"), *found):
        if not path:
            continue
        said = subprocess.run([path, "-c", "import sys; print(*sys.version_info[:2])"],
                              capture_output=True, text=True, check=False)
        if said.stdout.split() == ["3", "9"]:
            return path
    return None


def run(project: pathlib.Path) -> int:
    python = python39()
    if python is None:
        print("skipped: no Python 3.9 is installed (LOUPE_PYTHON39 names one)")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "lldb.py").write_text(STUB, encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": f"{project}:{folder}"}
        imported = subprocess.run([python, "-B", "-W", "error", "-c", IMPORT_ALL], env=environment,
                                  check=False)
    tests = project / "tests" / "lldb" / "unit"
    tested = subprocess.run([python, "-B", "-m", "unittest", "discover", "-s", str(tests)],
                            env={**os.environ, "PYTHONPATH": str(project)}, check=False)
    return int(imported.returncode != 0 or tested.returncode != 0)


def main(how: str, folder: str) -> int:
    project = pathlib.Path(folder)
    if how == "run":
        return run(project)
    faults = [fault for path in sources(project) for fault in newer(path)]
    print("\n".join(faults) or f"{len(sources(project))} files")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
