"""A program on gnustep-base knows its objects; snapshots of it by the helper, by the terminal tool of
the running process and of a core, and by the plugin have exactly these, and are the same.

usage: test_objects.py PROGRAM LOUPE CHECKER OBJECTS [GDB [LLDB PLUGIN]]
"""
import json
import pathlib
import subprocess
import sys
import tempfile

NEEDED = 5


def run(*command):
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300, check=False)


def helper_answer(process):
    """The helper's answer; the program waits from then on."""
    answer = process.stdout.readline()
    assert process.stdout.readline() == "ready\n", answer
    return json.loads(answer)


def snapshots_from_outside(pid, program, loupe, folder, gdb, lldb):
    """Files of the same process by others; each is one that was asked for."""
    live = folder / "live.loupe"
    result = run(loupe, "snapshot", pid, live)
    assert live.exists(), result.stdout
    yield live
    if gdb:
        run(gdb, "-p", pid, "-batch", "-ex", f"generate-core-file {folder}/core")
        result = run(loupe, "snapshot", folder / "core", folder / "core.loupe", "--program", program)
        assert (folder / "core.loupe").exists(), result.stdout
        yield folder / "core.loupe"
    if lldb:
        commands = (f"process attach --pid {pid}", f"plugin load {lldb[1]}",
                    f"loupe-engine snapshot --file {folder}/plugin.loupe", "detach")
        result = run(lldb[0], "-b", *[part for line in commands for part in ("-o", line)])
        assert (folder / "plugin.loupe").exists(), result.stdout
        yield folder / "plugin.loupe"


def look(seed, program, loupe, checker, objects, gdb, lldb):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with subprocess.Popen([program, str(seed), objects, folder / "truth", folder / "helper.loupe"],
                              stdout=subprocess.PIPE, text=True) as process:
            try:
                answer = helper_answer(process)
                assert answer["engine"] == "helper" and answer["snapshot"]["source"] == "objc", answer
                files = [folder / "helper.loupe",
                         *snapshots_from_outside(process.pid, program, loupe, folder, gdb, lldb)]
            finally:
                process.kill()
        checked = run(checker, folder / "truth", *files)
        print(f"seed {seed}, {len(files)} snapshots: {checked.stdout.strip()[-2000:]}")
        return checked.returncode == 0


def main():
    if len(sys.argv) < NEEDED:
        print(__doc__)
        return 2
    program, loupe, checker, objects = sys.argv[1:NEEDED]
    gdb, lldb, plugin = [*sys.argv[NEEDED:], "", "", ""][:3]
    runs = [(1, gdb, (lldb, plugin) if lldb else None)] + [(seed, "", None) for seed in range(2, 8)]
    good = [look(seed, program, loupe, checker, objects, *others) for seed, *others in runs]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
