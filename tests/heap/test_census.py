"""A program that knows all of its heap: each snapshot of it, by whoever made it, has every block and
every object and no other, and loses what the program leaked; all of them are the same.

usage: test_census.py PROGRAM LOUPE CHECKERS THINGS SEEDS [GDB [LLDB PLUGIN]]
  CHECKERS is the folder of check_census and check_agreement; of the first seed all makers are asked,
  of the others the helper and the terminal's tool.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from makers import Makers, run

NEEDED = 6


def check(*command):
    """Whether a checker agrees."""
    result = run(*command)
    print(result.stdout.strip()[-3000:])
    return result.returncode == 0


def look(program, checkers, things, seed, tools):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        truth, inside = folder / "truth", folder / "helper.loupe"
        with subprocess.Popen([program, seed, things, truth, inside], stdout=subprocess.PIPE,
                              text=True) as process:
            try:
                leaks = json.loads(process.stdout.readline())
                assert process.stdout.readline() == "ready\n", leaks
                makers = Makers(tools, process.pid, program, folder)
                outside = makers.all()
                makers.leaks["helper"] = leaks
            finally:
                process.kill()
        print(f"seed {seed}: {', '.join(makers.leaks)}")
        good = check(checkers / "check_census", truth, inside, *outside)
        good = check(checkers / "check_agreement", inside, "--", *outside) and good
        wrong = makers.differences()
        print("\n".join(wrong))
        return good and not wrong


def main():
    if len(sys.argv) < NEEDED:
        print(__doc__)
        return 2
    program, loupe, checkers, things, seeds = sys.argv[1:NEEDED]
    gdb, lldb, plugin = [*sys.argv[NEEDED:], "", "", ""][:3]
    good = [look(program, pathlib.Path(checkers), things, str(seed),
                 (loupe, *((gdb, lldb, plugin) if seed == 1 else ("", "", ""))))
            for seed in range(1, int(seeds) + 1)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
