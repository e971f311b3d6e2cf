"""The commands as LLDB knows them: what they are called and take, by the table of verbs.

What carries them out is loaded when one is used first: a line in ~/.lldbinit must cost no session
that asks nothing. So nothing that is slow to import is imported here.

Which commands lldb parses. Since 19 lldb takes options and words off the line of a scripted command:
it lists them in `help`, completes them and refuses wrong ones, as for its own. That is so for verbs
that take words. It cannot be for those that take an expression: -[Foo bar] is an unknown option to
it, `a -j` has an option wherever it stands, and only a native command may be raw and have options.
Those get the line as it was typed; their options are listed and completed by Loupe, in the same
form. In older lldbs all lines are read by options.py, with the same meaning and the same words.
"""
from __future__ import annotations

import importlib
import sys

import lldb

from . import verbs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Sequence, Union

    Command = Any  # of command.py, which must not be loaded before it is needed
    Json = Dict[str, Any]

# What a table calls a value -> lldb's kind, and how lldb shows it.
KINDS = {"FILE": ("eArgTypeFilename", "filename"), "N": ("eArgTypeCount", "count"),
         "PATTERN": ("eArgTypeClassName", "class-name"), "EXPR": ("eArgTypeExpression", "expr"),
         "SECONDS": ("eArgTypeValue", "value"), "<pattern>": ("eArgTypeClassName", "class-name"),
         "<file>": ("eArgTypeFilename", "filename"),
         "<thread>": ("eArgTypeThreadName", "thread-name")}
# lldb offers the categories of its formatters for a name, unless the command completes it.
CHOICE, NAME = ("eArgTypeValue", "value"), ("eArgTypeName", "name")


class Registered:
    """A command that is not loaded yet. There is a subclass of it for each verb."""

    verb: Json = {}

    def __init__(self, debugger: lldb.SBDebugger, _internal: Json) -> None:
        self._debugger = debugger
        self._is_parsed = False
        self._command: Command = None

    def _loaded(self) -> Command:
        if self._command is None:
            self._command = made(self.verb["lldb"]["command"], self._debugger)
            self._command.is_parsed = self._is_parsed
        return self._command

    def get_short_help(self) -> str:
        return sentence(self.verb["summary"])

    def get_options_definition(self) -> Json:
        """All have letters: lldb gives an option without one a control character, which it offers
        to the tab key, and the first such option is lost with all letters behind it."""
        self._is_parsed = not self.verb["lldb"]["expression"]
        options = self.verb["lldb"]["options"] if self._is_parsed else []
        return {option["name"]: _defined(option) for option in options}

    def get_args_definition(self) -> List[List[Json]]:
        if not self._is_parsed:
            return [[{"arg_type": lldb.eArgTypeExpression, "repeat": "star"}]]
        takes = self.verb["lldb"]["operands"]
        if not takes:
            return []
        kind = getattr(lldb, kind_of_argument(takes)[0])
        return [[{"arg_type": kind, "repeat": "optional" if takes[0] == "[" else "plain"}]]

    # ---- What needs the command itself ----

    def __call__(self, debugger: lldb.SBDebugger, command: Union[str, lldb.SBStructuredData],
                 exe_ctx: lldb.SBExecutionContext, result: lldb.SBCommandReturnObject) -> None:
        try:
            loaded = self._loaded()
        except Exception as error:  # lldb would take it for success
            result.SetError(f"{self.verb['lldb']['command']}: cannot be loaded: {error}")
            return
        loaded(debugger, command, exe_ctx, result)

    def get_long_help(self) -> str:
        text: str = self._loaded().get_long_help()
        return text

    def option_parsing_started(self) -> None:
        self._loaded().option_parsing_started()

    def set_option_value(self, exe_ctx: lldb.SBExecutionContext, name: str, value: str) -> bool:
        return bool(self._loaded().set_option_value(exe_ctx, name, value))

    def handle_option_argument_completion(self, name: str, cursor: int) -> Json:
        offers: Json = self._loaded().handle_option_argument_completion(name, cursor)
        return offers

    def handle_argument_completion(self, words: List[str], position: int, cursor: int) -> Json:
        offers: Json = self._loaded().handle_argument_completion(words, position, cursor)
        return offers


def made(name: str, debugger: lldb.SBDebugger) -> Command:
    """The command itself. The modules are named in text, as they must not be loaded before."""
    verb = verbs.of_command(name)
    is_about_heaps = verb["needs"] == "file" or verb["name"] == "mark"
    module = importlib.import_module(
        f"{__package__}.{'heap_commands' if is_about_heaps else 'commands'}")
    command: Command = module.BY_NAME.get(name, module.OTHERS)(debugger, {}, name)
    return command


def sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _defined(option: Json) -> Json:
    told: Json = {"short_option": option["letter"] or option["key"], "help": option["help"],
                  "required": False}
    if option["kind"] == "flag":
        return told
    told["value_type"] = getattr(lldb, KINDS.get(option["argument"], CHOICE)[0])
    told["completion_type"] = lldb.eDiskFileCompletion if option["argument"] == "FILE" else \
        lldb.eNoCompletion
    if option["choices"]:
        told["enum_values"] = [[choice, ""] for choice in option["choices"]]
    return told


def kind_of_argument(takes: str) -> Sequence[str]:
    return KINDS.get(takes.strip("[]"), NAME)


# ---- Registration ----


def register(debugger: lldb.SBDebugger, package: str) -> None:
    """Adds the commands. A second time overwrites them."""
    _first_accepted(debugger, ['command container add -o -h "Parts of Loupe." loupe',
                               'command container add -h "Parts of Loupe." loupe'])
    for verb in verbs.OF_LLDB:
        name = verb["lldb"]["command"]
        kind = name.replace(" ", "_").replace("-", "_")
        setattr(sys.modules[__name__], kind, type(kind, (Registered,), {"verb": verb}))
        _add(debugger, f"{package}.registered.{kind}", verb, name)
        if " " in name and _takes_two_words_for_a_variable():
            _add(debugger, f"{package}.registered.{kind}", verb, name.replace(" ", "-"))


def ask_after_crashes(debugger: lldb.SBDebugger, package: str) -> None:
    """For all targets that are made later, or, where there is one, for that."""
    debugger.GetCommandInterpreter().HandleCommand(
        f"target stop-hook add -P {package}.crashes.Offer", lldb.SBCommandReturnObject())


def _takes_two_words_for_a_variable() -> bool:
    """Whether this is a server of editors, whose debug consoles do so."""
    program = lldb.SBHostOS.GetProgramFileSpec().GetFilename() or ""
    return any(part in program for part in ("lldb-dap", "lldb-vscode", "codelldb"))


def _add(debugger: lldb.SBDebugger, kind: str, verb: Json, name: str) -> None:
    """As one that lldb parses or completes, where it does: expressions need the line as typed, too."""
    tells_line = hasattr(lldb.SBCommandReturnObject, "GetCommand")
    forms = ["-p "] if not verb["lldb"]["expression"] or tells_line else []
    _first_accepted(debugger, [f"command script add -o {form}-c {kind} {name}"
                               for form in (*forms, "-C variable-path ", "")])


def _first_accepted(debugger: lldb.SBDebugger, lines: Sequence[str]) -> None:
    error = ""
    for line in lines:
        result = lldb.SBCommandReturnObject()
        debugger.GetCommandInterpreter().HandleCommand(line, result)
        if result.Succeeded():
            return
        error = (result.GetError() or "").strip()
    raise RuntimeError(f"lldb does not take the command: {error}")
