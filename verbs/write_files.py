"""Writes what is made of the table of verbs and kept in the tree:

    ninja -C build write_verbs      which runs   python3 verbs/write_files.py build/cli/loupe

lldb_commands/verbs.json, from which the commands in LLDB and the manual are made, and the option lists
of docs/commands.md. With --check it changes nothing, and fails where one of them is not what it
would write.
"""
import difflib
import json
import pathlib
import re
import subprocess
import sys
from typing import Any, Dict, Iterator, List

SOURCE = pathlib.Path(__file__).resolve().parents[1]
Json = Dict[str, Any]
LIST = re.compile(r"(<!-- options: made by verbs/write_files.py -->\n).*?(<!-- end of options -->\n)",
                  re.S)


# ---- lldb_commands/verbs.json ----


def as_file(table: Json) -> str:
    """One line for each option, and for each other fact of a verb."""
    verbs = ",\n".join(_verb(verb) for verb in table["verbs"])
    return f'{{"verbs": [\n{verbs}\n]}}\n'


def _verb(verb: Json) -> str:
    facts = (f' {json.dumps(key)}: {_host(value) if key in ("terminal", "lldb") else json.dumps(value)}'
             for key, value in verb.items())
    return "{\n" + ",\n".join(facts) + "}"


def _host(host: Any) -> str:
    if host is None:
        return "null"
    options = ",\n".join(f"   {json.dumps(option)}" for option in host["options"])
    rest = json.dumps({key: value for key, value in host.items() if key != "options"})
    return f'{rest[:-1]}, "options": [\n{options}]}}'


# ---- docs/commands.md ----


def in_words(table: Json) -> str:
    """A table of options for each verb, of both hosts."""
    return "\n".join(_section(verb) for verb in table["verbs"])


def _section(verb: Json) -> str:
    lldb, terminal = verb["lldb"], verb["terminal"]
    lines = [f"### {verb['name']}", "", verb["summary"][0].upper() + verb["summary"][1:] + ".", ""]
    for host, place in ((lldb, "in LLDB"), (terminal, "in a terminal")):
        if host:
            lines.append(f"- {place}: `{host['command']} [options] {host['operands']}".rstrip() + "`")
    lines += ["", "| option | | where |", "| --- | --- | --- |", *_rows(lldb, terminal), ""]
    return "\n".join(lines)


def _rows(lldb: Json, terminal: Json) -> Iterator[str]:
    """An option that both have in the same words is one row."""
    places: Dict[str, List[str]] = {}
    for host, place in ((lldb, "LLDB"), (terminal, "terminal")):
        for option in (host or {}).get("options", []):
            places.setdefault(_row(option), []).append(place)
    is_in_both = bool(lldb and terminal)
    for row, where in places.items():
        yield f"{row} {where[0] if is_in_both and len(where) == 1 else ''} |".replace("  ", " ")


def _row(option: Json) -> str:
    letter = f"`-{option['letter']}` " if option["letter"] else ""
    argument = f" {option['argument']}".replace("|", "\\|") if option["argument"] else ""
    return f"| {letter}`--{option['name']}{argument}` | {option['help']} |"


# ---- The files ----


def wanted(table: Json) -> Dict[pathlib.Path, str]:
    docs = SOURCE / "docs" / "commands.md"
    text = docs.read_text(encoding="utf-8")
    return {SOURCE / "lldb_commands" / "verbs.json": as_file(table),
            docs: LIST.sub(lambda found: found[1] + "\n" + in_words(table) + found[2], text)}


def main() -> int:
    *flags, tool = sys.argv[1:]
    table = json.loads(subprocess.run([tool, "verbs", "--json"], capture_output=True, text=True,
                                      check=True).stdout)
    is_wrong = False
    for path, text in wanted(table).items():
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        if flags != ["--check"]:
            path.write_text(text, encoding="utf-8")
        elif before != text:
            is_wrong = True
            print(f"{path.relative_to(SOURCE)} is not what the table of verbs says; "
                  "ninja -C build write_verbs")
            sys.stdout.writelines(difflib.unified_diff(before.splitlines(True),
                                                       text.splitlines(True), "there", "wanted", n=0))
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
