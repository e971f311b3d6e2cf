"""What the workflows, and the papers for those who sit at a Mac, type is there: commands of ./run, files, targets,
programs of the examples, commands and options in LLDB; and what they look for in an output is what tests of that output expect.

usage: workflows.py PROJECT_FOLDER
"""
import json
import pathlib
import re
import sys
from typing import Iterator, Set

LLDB_OWN = {"command", "breakpoint", "run", "kill", "b", "quit"}
PAPERS = ("docs/on_a_mac.md", "docs/xcode.md")


def commands_of_run(folder: pathlib.Path) -> Set[str]:
    usage = (folder / "run").read_text(encoding="utf-8").split("<<'EOF'")[1].split("\nEOF")[0]
    return set(re.findall(r"^  ([a-z][a-z0-9-]*) ", usage, re.MULTILINE))


def targets(folder: pathlib.Path) -> Set[str]:
    made: Set[str] = set()
    for path in folder.glob("*/**/CMakeLists.txt"):
        if "build" not in path.parts[:len(folder.parts) + 1]:
            made.update(re.findall(r"(?:add_(?:library|executable)|loupe_(?:room|library))\((\w+)", path.read_text(encoding="utf-8")))
    return made


def typed_in_lldb(text: str) -> Iterator[str]:
    for typed in re.findall(r"-o '([^']+)'", text):
        yield typed


def faults_in_lldb(folder: pathlib.Path, text: str) -> Iterator[str]:
    verbs = {verb["name"]: json.dumps(verb) for verb in
             json.loads((folder / "lldb_commands" / "verbs.json").read_text(encoding="utf-8"))["verbs"]}
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (folder / "lldb_commands").rglob("*.py"))
    for typed in typed_in_lldb(text):
        words = typed.split()
        name = words[1] if words[0] == "loupe" else words[0]
        if words[0] in LLDB_OWN:
            continue
        if name not in verbs and f'"{name}"' not in sources:
            yield f"LLDB has no command {typed!r}"
        for option in re.findall(r"--[a-z-]+", typed):
            if option not in verbs.get(name, "") and f'"{option}"' not in sources:
                yield f"{option} is no option of {name}"


def faults(folder: pathlib.Path) -> Iterator[str]:
    known, made = commands_of_run(folder), targets(folder)
    expected = "\n".join(path.read_text(encoding="utf-8") for path in (folder / "tests" / "lldb").rglob("*.*")
                         if path.suffix in (".py", ".txt"))
    papers = [folder / name for name in PAPERS]
    for path in sorted((folder / ".github" / "workflows").glob("*.yml")) + papers:
        text = path.read_text(encoding="utf-8")
        for command in re.findall(r"\./run ([a-z0-9-]+)", text):
            if command not in known:
                yield f"{path.name}: ./run has no command {command}"
        for target in re.findall(r"ninja -C \S+ (loupe_\w+)|\blibraries=\"(.*?)\"", text):
            for name in set(" ".join(target).split()) - made:
                yield f"{path.name}: there is no target {name}"
        for script in re.findall(r"\b((?:packaging|tests)/[\w/.]+\.(?:sh|py))", text):
            if not (folder / script).is_file():
                yield f"{path.name}: there is no {script}"
        for program in re.findall(r"build/examples/(\w+)", text):
            if program not in made:
                yield f"{path.name}: no example is called {program}"
        for phrase in re.findall(r"grep -q '([^']+)'", text):
            if phrase not in expected:
                yield f"{path.name}: no test of the commands expects {phrase!r}"
        for fault in faults_in_lldb(folder, text):
            yield f"{path.name}: {fault}"


def main() -> int:
    found = list(faults(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
