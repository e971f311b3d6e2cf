"""An answer has one way out, the sink or stream that it is given: nothing goes through a file that nobody named,
through memory that pretends to be a file, or through a standard output that is another one for a while.

PROCESSES are those that become another program, which has nothing but its standard files. OUTPUT is where all streams of
answers come from: it alone may have one end in memory, for another process of ours.

usage: outputs.py PROJECT_FOLDER
"""
import pathlib
import re
import sys

ROOMS = ("answers", "at_exit", "cli", "core", "helper", "pictures", "plugin", "readers", "record", "run_tool", "stacks", "testing",
         "verbs", "watch")
SUFFIXES = {".c", ".cpp", ".h", ".m"}
NEVER = re.compile(r"\b(?:tmpfile|open_memstream|fmemopen|fopencookie|funopen|freopen)\s*\(|\bstd(?:out|err)\s*=[^=]")
INSTEAD = re.compile(r"\bdup2\s*\(")
OUTPUT = "cli/shared/output.c"
PROCESSES = {"cli/debuginfod/download.c", "cli/fix/tracked_copy.c", "cli/fix/verify.c", "cli/shared/child.c", "run_tool/run_tool.c"}


def main(source: pathlib.Path) -> int:
    faults = []
    seen = set()
    for path in sorted(path for room in ROOMS for path in (source / room).rglob("*") if path.suffix in SUFFIXES):
        name, text = str(path.relative_to(source)), re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        faults += [f"{name}: {match[0].strip()}: the output is to be given a sink" for match in NEVER.finditer(text)
                   if (name, match[0]) != (OUTPUT, "open_memstream(")]
        if INSTEAD.search(text):
            seen.add(name)
    faults += [f"{name}: puts a file in the place of another" for name in sorted(seen - PROCESSES)]
    faults += [f"outputs.py: {name} becomes no other program" for name in sorted(PROCESSES - seen)]
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
