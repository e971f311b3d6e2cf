"""Leaks that a program planted and knows, told of it from outside.

usage: test_planted.py LOUPE CHECKER PROGRAM
"""
import pathlib
import subprocess
import sys
import tempfile

from waiting import snapshots_of


def main():
    loupe, checker, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        truth = folder / "truth"
        snapshots, trouble = snapshots_of([program, truth], loupe, folder)
        if trouble:
            print(trouble)
            return 1
        return subprocess.run([checker, truth, *snapshots], timeout=60, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
