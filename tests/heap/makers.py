"""Who makes snapshots of a process that stands still, and asks what leaks in it: each in its own way."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from lldb_options import QUICK  # noqa: E402

# What is told of who answers, not of the heap; names that debug information has, which no file keeps.
OF_THE_MAKER = {"engine", "stats", "not_followed", "status", "origin", "invoke", "name", "path",
                "text", "paused_ms", "declared", "mistake"}
# The helper does not know the registers of the thread that asks it, and is as careful.
OF_THE_HELPER = {"verdict", "verdict_reason", "roots"}


def run(*command, timeout=1800):
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False)


def in_lldb(lldb, plugin, *commands):
    lines = (commands[0], f"plugin load {plugin}", *commands[1:])
    return run(lldb, "-b", "--no-lldbinit", *QUICK, *[part for line in lines for part in ("-o", line)]).stdout


def made(path, why):
    assert path.exists(), why
    return path


def answer_in(output):
    """The answer of an engine among what lldb prints."""
    return json.loads(next(line for line in output.splitlines() if line.startswith('{"loupe"')))


def without(keys, value):
    if isinstance(value, dict):
        return {key: without(keys, part) for key, part in value.items() if key not in keys}
    return [without(keys, part) for part in value] if isinstance(value, list) else value


def differences(one, other, keys):
    """The keys of two answers under which they differ."""
    one, other = without(keys, one), without(keys, other)
    return [key for key in one.keys() | other.keys() if one.get(key) != other.get(key)]


class Makers:
    """Those that are there for one process: its number, its program, a folder for their files."""

    def __init__(self, tools, pid, program, folder):
        self.loupe, self.gdb, self.lldb, self.plugin = tools
        self.pid, self.program, self.folder = pid, program, folder
        self.leaks = {}  # by maker: what it answers to "leaks"

    def asked_in_terminal(self, name, file, *options):
        output = run(self.loupe, "leaks", file, "--json", "--limit", "0", *options).stdout
        self.leaks[name] = answer_in(output)

    def by_terminal(self):
        """The running process; and its file, which is opened and saved again."""
        live, again = self.folder / "live.loupe", self.folder / "again.loupe"
        made(live, run(self.loupe, "snapshot", self.pid, live).stdout)
        made(again, run(self.loupe, "snapshot", live, again).stdout)
        assert live.read_bytes() == again.read_bytes(), "a snapshot that is saved again differs"
        self.asked_in_terminal("terminal", self.pid)
        self.asked_in_terminal("snapshot", again)
        return [live]

    def by_core(self):
        core = self.folder / "core"
        file = self.folder / "core.loupe"
        run(self.gdb, "-nx", "-p", self.pid, "-batch", "-ex", f"generate-core-file {core}")
        made(file, run(self.loupe, "snapshot", core, file, "--program", self.program).stdout)
        self.asked_in_terminal("terminal on a core", core, "--program", self.program)
        return [file]

    def by_plugin(self, name, *begin, end=()):
        file = self.folder / f"{name.replace(' ', '-')}.loupe"
        output = in_lldb(self.lldb, self.plugin, *begin, f"loupe-engine snapshot --file {file}",
                         "loupe-engine leaks --address 0", *end)
        made(file, output)
        self.leaks[name] = [answer_in(line) for line in output.splitlines()
                            if line.startswith('{"loupe"')][-1]
        return [file]

    def all(self):
        """Files of the same heap; of those that are there."""
        files = self.by_terminal()
        if self.gdb:
            files += self.by_core()
        if self.lldb:
            dump = self.folder / "minidump"
            files += self.by_plugin(
                "plugin", f"process attach --pid {self.pid}",
                end=(f"process save-core --plugin-name=minidump --style=full {dump}", "detach"))
            if dump.exists():  # LLDB 14 writes no whole ones
                files += self.by_plugin("plugin on a minidump",
                                        f"target create --core {dump} {self.program}")
            if self.gdb:
                files += self.by_plugin("plugin on a core",
                                        f"target create --core {self.folder / 'core'} {self.program}")
        return files

    def differences(self):
        """Of what is said to leak, as text."""
        (first, leaks), *others = self.leaks.items()
        return [f"{name} says else than {first} of what leaks: {key}"
                for name, other in others
                for key in differences(leaks, other,
                                       OF_THE_MAKER | (OF_THE_HELPER if name == "helper" else set()))]
