"""Every fixture once its seed is dropped: `loupe leaks` tells as leaked what its runtime never freed.

usage: test_fixtures.py LOUPE CHECKER SOURCES PROGRAMS [FIXTURE...]
"""
import pathlib
import subprocess
import sys
import tempfile

from waiting import snapshot_of

NEEDED = 5
ENOUGH_FIXTURES = 70

# Never freed, because something that lasts owns it to the end: a variable, the run loop.
HELD = ("observer_token", "singleton_bus", "timer_target")
# Rings through memory that only debug information or nothing at all describes: without that, a word
# in main()'s frame that still leads there cannot be told from an owner. In block_in_array such a word
# leads to what hangs on the ring.
STALE = ("block_in_array", "cxx_ivar", "cxx_lambda", "cxx_members", "pointed_memory")


def as_it_is(truth, name):
    """The runtime knows only what was freed."""
    kind = "held" if name in HELD else "stale" if name in STALE else "leaked"
    lines = truth.read_text(encoding="utf-8").splitlines()
    truth.write_text("".join(f"{line.replace('leaked', kind, 1)}\n" for line in lines),
                     encoding="utf-8")


def look(loupe, checker, program, folder):
    """What was wrong, as text; the snapshot is of the running program, from outside."""
    truth, snapshot = folder / "truth", folder / "heap.loupe"
    trouble = snapshot_of([program], loupe, snapshot, LOUPE_FIXTURE_TRUTH=str(truth))
    if trouble:
        return trouble
    as_it_is(truth, program.name)
    checked = subprocess.run([checker, truth, snapshot], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
    return checked.stdout if checked.returncode else ""


def main():
    if len(sys.argv) < NEEDED:
        print(__doc__)
        return 2
    loupe, checker, sources, programs = (pathlib.Path(word) for word in sys.argv[1:NEEDED])
    names = sys.argv[NEEDED:] or sorted(file.parent.name for file in sources.glob("*/expect.json"))
    wrong = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            trouble = look(loupe, checker, programs / name, pathlib.Path(folder))
        if trouble:
            wrong += 1
            print(f"{name}:\n{trouble}")
    print(f"{len(names)} fixtures, {wrong} of them wrong")
    return 1 if wrong or (len(names) < ENOUGH_FIXTURES and len(sys.argv) == NEEDED) else 0


if __name__ == "__main__":
    sys.exit(main())
