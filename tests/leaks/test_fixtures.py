"""Every fixture once its seed is dropped: `loupe leaks` tells as leaked what its runtime never freed.

usage: test_fixtures.py LOUPE CHECKER SOURCES PROGRAMS ENOUGH [FIXTURE...]
  SOURCES has a folder of each fixture, PROGRAMS those that are built for one runtime; ENOUGH is how
  many there are at least.

The last look is at what is left when main() has returned; looks before it are at a main() that has
given up its references, with its unretained variables.
"""
import pathlib
import subprocess
import sys
import tempfile

from waiting import snapshots_of

NEEDED = 6

# Never freed, because something that lasts owns it to the end: a variable, the run loop.
HELD = ("observer_token", "singleton_bus", "timer_target")
# Rings through memory that only debug information or nothing at all describes: without that, a word
# in main()'s frame that still leads there cannot be told from an owner. In block_in_array such a word
# leads to what hangs on the ring.
STALE = ("block_in_array", "cxx_ivar", "cxx_lambda", "cxx_members", "pointed_memory")
# gnustep-base lists objects that are observed, as its operations, in a table that owns them not. On
# this runtime no reference is certain, so that a knot which such words lead to could be theirs.
UNSURE = ("operation_ring",)
# It counts nothing: it is there to be asked who holds its objects.
UNCOUNTED = ("holders",)


def as_it_is(truth, name, is_last, told):
    """The runtime knows only what was freed."""
    kinds = {}
    if name in HELD:
        kinds = {"leaked": "held"}
    elif name in UNSURE:
        kinds = {"leaked": "unsure", "again": "unsure"}
    elif name in STALE and not is_last:
        kinds = {"leaked": "stale"}
    lines = (line.split(" ", 1) for line in truth.read_text(encoding="utf-8").splitlines())
    told.write_text("".join(f"{kinds.get(what, what)} {which}\n" for what, which in lines),
                    encoding="utf-8")
    return told


def look(loupe, checker, program, folder):
    """What was wrong, as text; the snapshots are of the running program, from outside."""
    truth = folder / "truth"
    snapshots, trouble = snapshots_of([program], loupe, folder, LOUPE_FIXTURE_TRUTH=str(truth))
    for snapshot in snapshots if not trouble else ():
        told = as_it_is(truth, program.name, snapshot is snapshots[-1], folder / "told")
        checked = subprocess.run([checker, told, snapshot], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, timeout=1800, check=False)
        trouble += f"{snapshot.stem}: {checked.stdout}" if checked.returncode else ""
    return trouble


def main():
    if len(sys.argv) < NEEDED:
        print(__doc__)
        return 2
    loupe, checker, sources, programs = (pathlib.Path(word) for word in sys.argv[1:NEEDED - 1])
    names = sys.argv[NEEDED:] or sorted(
        file.parent.name for file in sources.glob("*/main.m*")
        if (programs / file.parent.name).exists() and file.parent.name not in UNCOUNTED)
    wrong = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            trouble = look(loupe, checker, programs / name, pathlib.Path(folder))
        if trouble:
            wrong += 1
            print(f"{name}:\n{trouble}")
    print(f"{len(names)} fixtures, {wrong} of them wrong")
    enough = len(names) >= int(sys.argv[NEEDED - 1]) or len(sys.argv) > NEEDED
    return 0 if enough and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
