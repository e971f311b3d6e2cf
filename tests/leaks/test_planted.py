"""Leaks that a program planted and knows, told of it from outside.

usage: test_planted.py LOUPE CHECKER PROGRAM
"""
import pathlib
import subprocess
import sys
import tempfile

from waiting import snapshot_of


def main():
    loupe, checker, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        truth, snapshot = folder / "truth", folder / "heap.loupe"
        trouble = snapshot_of([program, truth], loupe, snapshot)
        if trouble:
            print(trouble)
            return 1
        return subprocess.run([checker, truth, snapshot], timeout=60, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
