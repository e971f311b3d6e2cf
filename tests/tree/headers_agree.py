"""One word, one meaning: every header of core, answers, readers, helper, stacks, watch and record can be included with all
others, and alone; none is left out because another one has its guard. Those that include headers of
another system are not compiled here.

usage: headers_agree.py COMPILER PROJECT_FOLDER
"""
import collections
import pathlib
import re
import subprocess
import sys

FOLDERS = ("core", "readers", "helper", "stacks", "watch", "record")
OF_ANOTHER_SYSTEM = "_linux.h" if sys.platform == "darwin" else "_darwin.h"
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", "-")


def problems(compiler, root, headers):
    """What the compiler says of a file that includes the headers."""
    source = "".join(f'#include "{header}"\n' for header in headers)
    paths = [f"-I{root}", *(f"-I{root / folder}" for folder in FOLDERS)]
    return subprocess.run([compiler, *paths, *FLAGS], input=source, capture_output=True, text=True,
                          check=False).stderr


def shared_guards(texts):
    """A line for each guard that stands in several headers; texts: of headers, by their paths."""
    users = collections.defaultdict(list)
    for path, text in texts.items():
        users[re.search(r"^#ifndef (\w+)$", text, re.MULTILINE)[1]].append(path)
    return "".join(f"{guard} guards {' and '.join(paths)}\n"
                   for guard, paths in sorted(users.items()) if len(paths) > 1)


def main():
    compiler, root = sys.argv[1], pathlib.Path(sys.argv[2])
    headers = [str(path.relative_to(root / folder)) for folder in FOLDERS
               for path in sorted((root / folder).rglob("*.h"))
               if not path.name.endswith(OF_ANOTHER_SYSTEM)]
    headers += [str(path.relative_to(root)) for path in sorted((root / "answers").rglob("*.h"))]
    wrong = problems(compiler, root, headers) + problems(compiler, root, reversed(headers))
    for header in headers:
        wrong += problems(compiler, root, [header])
    wrong += shared_guards({str(path): path.read_text() for folder in FOLDERS
                            for path in sorted((root / folder).rglob("*.h"))})
    print(wrong, end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
