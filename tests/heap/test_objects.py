"""A program on gnustep-base knows its objects; snapshots of it by the helper, by the command-line tool and
by the plugin have exactly these, and are the same.

usage: test_objects.py PROGRAM LOUPE CHECKERS OBJECTS [GDB [LLDB PLUGIN]]
  CHECKERS is the folder of check_objects and check_agreement.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from makers import Makers, run  # noqa: E402
from share import share_of  # noqa: E402

NEEDED = 5


def helper_answer(process):
    """The helper's answer; the program waits from then on."""
    answer = process.stdout.readline()
    assert process.stdout.readline() == "ready\n", answer
    return json.loads(answer)


def look(seed, program, checkers, objects, tools):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with subprocess.Popen([program, str(seed), objects, folder / "truth", folder / "helper.loupe"],
                              stdout=subprocess.PIPE, text=True) as process:
            try:
                answer = helper_answer(process)
                assert answer["engine"] == "helper" and answer["snapshot"]["source"] == "objc", answer
                outside = Makers(tools, process.pid, program, folder).all()
            finally:
                process.kill()
        inside = folder / "helper.loupe"
        checked = run(checkers / "check_objects", folder / "truth", inside, *outside)
        agreed = run(checkers / "check_agreement", inside, "--", *outside)
        print(f"seed {seed}: {checked.stdout.strip()[-2000:]}\n{agreed.stdout.strip()[-2000:]}")
        return checked.returncode == 0 and agreed.returncode == 0


def main():
    if len(sys.argv) < NEEDED:
        print(__doc__)
        return 2
    program, loupe, checkers, objects = sys.argv[1:NEEDED]
    gdb, lldb, plugin = [*sys.argv[NEEDED:], "", "", ""][:3]
    good = [look(seed, program, pathlib.Path(checkers), objects,
                 (loupe, *((gdb, lldb, plugin) if seed == 1 else ("", "", ""))))
            for seed in share_of(range(1, 8))]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
