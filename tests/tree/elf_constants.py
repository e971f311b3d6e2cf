"""What readers/image/elf/elf_constants.h calls ELF's numbers is what the system's <elf.h> calls them, and they are
the same.

usage: elf_constants.py C_COMPILER SOURCE_FOLDER
"""
import pathlib
import re
import subprocess
import sys


def main(compiler, source):
    header = (pathlib.Path(source) / "readers" / "image" / "elf" / "elf_constants.h").read_text(encoding="utf-8")
    numbers = re.findall(r"^ *(?:enum \{)?((?: *\w+ = \w+,?)+)", header, re.M)
    constants = [constant for line in numbers for constant in re.findall(r"(\w+) = (\w+)", line)]
    if len(constants) < 40:
        print(f"only {len(constants)} constants were found")
        return 1
    checks = "\n".join(f'_Static_assert({name} == {value}, "{name}");' for name, value in constants)
    return subprocess.run([compiler, "-std=c11", "-fsyntax-only", "-x", "c", "-"], check=False, encoding="utf-8",
                          input=f"#include <elf.h>\n{checks}\n").returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
