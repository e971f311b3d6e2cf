"""What one line in ~/.lldbinit costs a session that asks nothing: `lldb -b -o quit` with and without.

usage: start.py LLDB COMMANDS [OTHER_COMMANDS]...

COMMANDS is a folder lldb_commands; several are compared in one run. Each is also measured without
bytecode, which lldb's Python never writes. Of each the least processor time of its rounds, which take turns.
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile

ROUNDS = 15


def seconds(lldb, line):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([lldb, "--batch", "--no-lldbinit", *(["-o", line] if line else []), "-o", "quit"],
                   check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def without_bytecode(commands, folder, number):
    copy = os.path.join(folder, str(number), "lldb_commands")
    shutil.copytree(commands, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def main():
    lldb, *packages = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        nothing = os.path.join(folder, "loupe_nothing.py")
        with open(nothing, "w", encoding="utf-8") as file:
            file.write("def __lldb_init_module(debugger, internal):\n    pass\n")
        rows = {"lldb alone": "", "an empty module": f'command script import "{nothing}"'}
        for number, package in enumerate(packages):
            rows[package] = f'command script import "{package}"'
            rows[f"{package}, no bytecode"] = \
                f'command script import "{without_bytecode(package, folder, number)}"'
        least = {name: float("inf") for name in rows}
        for _ in range(ROUNDS):
            for name, line in rows.items():
                least[name] = min(least[name], seconds(lldb, line))
    print(f"{'a start of lldb':56}{'ms':>8}{'of lldb alone':>15}")
    for name, spent in least.items():
        print(f"{name[-55:]:56}{spent * 1000:8.1f}{spent / least['lldb alone']:14.2f}x")


if __name__ == "__main__":
    main()
