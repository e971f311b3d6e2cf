"""Writes the manual pages: loupe(1), loupe-VERB(1) for each verb, loupe-environment(7).

usage: man.py PROJECT_FOLDER VERSION OUTPUT_FOLDER

From the table of verbs (lldb_commands/verbs.json) and that of docs/environment.md.
"""
import json
import pathlib
import re
import sys
from typing import Any, Dict, List

Json = Dict[str, Any]
ABOUT = ("asks why objects are alive: which references hold them, which retain cycles they are in, what leaks, and "
         "what to change. FILE is an ELF or Mach-O core, a saved snapshot (.loupe), a Java or Android heap dump "
         "(.hprof, also gzipped), or on Linux the number of a running process; its first bytes say which.")

# As `loupe --help` has it.
EXIT_STATUS = ("0 success; 1 found (leaks, gates); 2 bad input, out of memory, a full disk, the time limit, or an incomplete "
               "result, also where something was found.")


def escaped(text: str) -> str:
    """Text for troff: nothing of it is a request, and dashes can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.M)


def heading(name: str, section: int, version: str, summary: str) -> str:
    return (f'.TH {escaped(name.upper())} {section} "" "Loupe {version}" "Loupe"\n.SH NAME\n'
            f"{escaped(name)} \\- {escaped(summary)}\n")


def paragraphs(text: str) -> str:
    return "\n.PP\n".join(escaped(part) for part in text.split("\n\n")) + "\n"


def items(rows: List[List[str]]) -> str:
    return "".join(f".TP\n.B {escaped(name)}\n{escaped(text)}\n" for name, text in rows)


def see_also(names: List[str]) -> str:
    return ".SH SEE ALSO\n" + ",\n".join(f".BR {escaped(name)} ({section})" for name, section in
                                         (entry.rsplit(".", 1) for entry in names)) + "\n"


# ---- Pages ----


def option_rows(options: List[Json], has_keys: bool) -> List[List[str]]:
    rows = []
    for option in options:
        letter = option["letter"] or (option["key"] if has_keys else None)
        name = (f"-{letter}, " if letter else "") + f"--{option['name']}"
        rows.append([f"{name} {option['argument'] or ''}".rstrip(), f"{option['help']}"])
    return rows


def page_of(verb: Json, version: str) -> str:
    parts = [heading(f"loupe-{verb['name']}", 1, version, verb["summary"]), ".SH SYNOPSIS\n"]
    hosts = [(verb["terminal"], "", False)]
    if verb["lldb"]:
        hosts.append((verb["lldb"], "(lldb) ", not verb["lldb"]["expression"]))
    hosts = [host for host in hosts if host[0]]
    parts.append("\n.br\n".join(
        f"{prompt}\\fB{escaped(host['command'])}\\fR [options] {escaped(host['operands'])}".rstrip()
        for host, prompt, _ in hosts) + "\n")
    parts.append(".SH DESCRIPTION\n" + paragraphs(verb["help"]))
    for host, prompt, has_keys in hosts:
        title = "OPTIONS IN LLDB" if prompt else "OPTIONS"
        parts.append(f".SH {title}\n" + items(option_rows(host["options"], has_keys)))
    if verb["examples"]:
        parts.append(".SH EXAMPLES\n" + items([[example["line"], example["why"]]
                                               for example in verb["examples"]]))
    parts.append(f".SH EXIT STATUS\n{EXIT_STATUS}\n" if verb["terminal"] else "")
    parts.append(see_also(["loupe.1", *(f"loupe-{name}.1" for name in verb["next"]),
                           "loupe-environment.7"]))
    return "".join(parts)


def overview(verbs: List[Json], version: str) -> str:
    in_terminal = [verb for verb in verbs if verb["terminal"]]
    in_lldb = [verb for verb in verbs if verb["lldb"]]
    return "".join([
        heading("loupe", 1, version, "ask what keeps objects alive, in cores, processes, snapshots and heap dumps"),
        ".SH SYNOPSIS\n.B loupe\n.I COMMAND FILE\n.RI [ options ]\n.RI [ arguments ]\n",
        f".SH DESCRIPTION\n.B loupe\n{escaped(ABOUT)}\n",
        ".SH COMMANDS\n",
        items([[f"{verb['name']} {verb['terminal']['operands']}".rstrip(), verb["summary"]]
               for verb in in_terminal]),
        ".SH COMMANDS IN LLDB\nThey are loaded by one line in\n.IR ~/.lldbinit :\n.PP\n.RS\n"
        "command script import /usr/share/loupe\n.RE\n",
        items([[f"{verb['lldb']['command']} {verb['lldb']['operands']}".rstrip(), verb["summary"]]
               for verb in in_lldb]),
        f".SH EXIT STATUS\n{EXIT_STATUS}\n",
        see_also([f"loupe-{verb['name']}.1" for verb in verbs] + ["loupe-environment.7", "lldb.1"])])


def environment(folder: pathlib.Path, version: str) -> str:
    text = (folder / "docs" / "environment.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \| (.*?) \| (.*) \|$", text, re.M)

    def plain(cell: str) -> str:
        return re.sub(r" ?\(?\[[^]]*\]\([^)]*\)\)?", "", cell).replace("`", "")

    return "".join([heading("loupe-environment", 7, version, "environment variables of Loupe"),
                    ".SH DESCRIPTION\nA variable that is empty counts as not set.\n.SH VARIABLES\n",
                    items([[plain(name), f"{plain(meaning)}. Read by {plain(reader)}."]
                           for name, reader, meaning in rows]),
                    see_also(["loupe.1"])])


def main() -> int:
    folder, version, output = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    verbs = json.loads((folder / "lldb_commands" / "verbs.json").read_text(encoding="utf-8"))["verbs"]
    pages = {f"loupe-{verb['name']}.1": page_of(verb, version) for verb in verbs}
    pages["loupe.1"] = overview(verbs, version)
    pages["loupe-environment.7"] = environment(folder, version)
    for name, text in pages.items():
        place = output / f"man{name[-1]}"
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
