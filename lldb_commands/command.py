"""What all commands are: the one wrapper around them, what lldb asks of them, and their help.

lldb takes an exception that leaves a command for success, and goes on with the next command of a
batch: so nothing leaves. A failure is one line by SetError, which makes `lldb -b` exit with 1, or 2.
"""
from __future__ import annotations

import contextlib
import traceback
from typing import Any, Dict, List, Tuple, Union

import lldb

from . import verbs
from .api import questions
from .errors import LoupeError, out_of_memory
from .found import Found
from .line import completion, handles, lent_numbers, options, parsed, typed
from .protocol import Answer
from .reporting import report
from .session import batch, only_memory
from .session.context import Context
from .text.printable import printable, printable_lines

Values = Dict[str, Any]
_LONGEST_WORD = 1 << 16


class Command:
    """A command of lldb. What it is called and takes says the table of verbs; subclasses say run()."""

    name = ""
    query = ""  # of those that ask an engine

    def __init__(self, debugger: lldb.SBDebugger, _internal: Dict[str, Any], name: str = "") -> None:
        self.name = name or self.name
        self.verb = verbs.of_command(self.name)
        self.takes: str = self.verb["lldb"]["operands"]
        # Instead of an expression: lldb parses them where it can (registered.py).
        self.takes_words = not self.verb["lldb"]["expression"]
        self.options = options.of_table(self.verb["lldb"]["options"], self.takes_words)
        self.is_parsed = False  # by lldb, which asked for the options
        self._debugger = debugger
        self._given: List[Tuple[str, str]] = []  # options that lldb has taken off the line

    def __call__(self, debugger: lldb.SBDebugger, command: Union[str, lldb.SBStructuredData],
                 exe_ctx: lldb.SBExecutionContext, result: lldb.SBCommandReturnObject) -> None:
        verbose, line = False, ""
        try:
            if not self.is_parsed:
                line = _typed(command, result)
            try:
                values, expression = self._understood(command, line)
            except LoupeError as error:
                raise LoupeError(str(error), code="usage") from None
            verbose = bool(values.get("verbose"))
            expression, values = self._addressed(expression, values)
            text, failure = ((self._help(lists_options=True).strip(), "") if values["help"]
                             else self._answered(debugger, exe_ctx, values, expression))
            text = self._numbered(text, values)
            if text:
                # Not by PutCString, which keeps the text for ever (lldb 22).
                result.AppendMessage(text)
            result.SetStatus(lldb.eReturnStatusSuccessFinishResult)
            if failure:
                result.SetError(printable(f"{self.name}: {failure}"))
            if failure and not isinstance(failure, Found):
                batch.fail(debugger, result)
        except LoupeError as error:
            self._fail(debugger, line, error, result)
        except MemoryError:
            self._fail(debugger, line, out_of_memory(), result)
        except BaseException as error:  # also SystemExit: nothing may reach lldb
            trace = "\n" + printable_lines(traceback.format_exc()) if verbose else " (-v says where)"
            what = f"internal error: {type(error).__name__}: {error}"
            self._fail(debugger, line, LoupeError(what, code="internal"), result, trace)
        with contextlib.suppress(Exception):
            self._say_what_ran(debugger, result)

    def _say_what_ran(self, debugger: lldb.SBDebugger, result: lldb.SBCommandReturnObject) -> None:
        news = only_memory.news(debugger.GetID())
        if news:
            result.AppendWarning(f"{self.name}: {news}")

    def _addressed(self, expression: str, values: Values) -> Tuple[str, Values]:
        """With addresses for the numbers of what the last answer showed."""
        def address(text: str) -> str:
            return handles.replaced(self._debugger.GetID(), text)
        several = {option.key: list(map(address, values[option.key]))
                   for option in self.options if option.repeat}
        return expression if self.takes_words else address(expression), {**values, **several}

    def _numbered(self, text: str, values: Values) -> str:
        """For people, who may name what they see by a number."""
        if not text or values["help"] or any(map(values.get, ("json", "format", "output"))):
            return text
        numbers = handles.remember(self._debugger.GetID(), text)
        if numbers:
            lent_numbers.lend(self._debugger, numbers)
        return handles.shown(text, numbers) if self._debugger.GetUseColor() else text

    def _answered(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
                  expression: str) -> Tuple[str, str]:
        """Options behind an expression are taken where it makes no sense with them."""
        try:
            return self.run(debugger, exe_ctx, dict(values), expression)
        except LoupeError:
            behind = None if self.takes_words else options.from_behind(expression, self.options)
            if behind is None:
                raise
        more, shorter = behind
        defaults = options.defaults(self.options)
        given = {key: value for key, value in more.items() if value != defaults[key]}
        return self.run(debugger, exe_ctx, {**values, **given}, shorter)

    def _understood(self, command: Union[str, lldb.SBStructuredData],
                    line: str) -> Tuple[Values, str]:
        """The values of the options, and the expression or the one word behind them."""
        if not self.takes_words:
            return options.split(line, self.options)
        if self.is_parsed:
            values, words = options.of_given(self._given, self.options), _words(command)
        else:
            values, words = options.split_words(line, self.options)
        if words and not self.takes:
            raise LoupeError(f"'{self.name.split()[-1]}' doesn't take any arguments, and got "
                             f"{words[0]}")
        if len(words) > 1:
            raise LoupeError(f"takes one {self.takes.strip('[<>]')}, and got {len(words)}: quote "
                             "what has spaces")
        return values, words[0] if words else ""

    def _fail(self, debugger: lldb.SBDebugger, line: str, error: LoupeError,
              result: lldb.SBCommandReturnObject, more: str = "") -> None:
        """Says it where it was asked to be said: nobody should read an older answer for this one's."""
        text = printable(f"{self.name}: {error}")
        with contextlib.suppress(Exception):  # it can be the file that cannot be written
            self.note_failure(debugger, line, str(error))
            answer = report.failed(self.query or self.name.split()[-1], error, text,
                                   self._where_errors_go(line))
            if answer:
                result.AppendMessage(answer)
        result.SetError(text + more)
        batch.fail(debugger, result)

    def _where_errors_go(self, line: str) -> Values:
        if not self.is_parsed:
            return options.where_errors_go(line, self.options)
        understood = []
        for given in self._given:
            with contextlib.suppress(LoupeError):
                options.of_given([given], self.options)
                understood.append(given)
        return options.of_given(understood, self.options)

    def note_failure(self, debugger: lldb.SBDebugger, line: str, reason: str) -> None:
        """For those who look at all questions together."""

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        """Text for the console, and why the command failed although it has text (else empty)."""
        raise NotImplementedError

    # ---- What lldb asks of commands that it completes, and parses ----

    def option_parsing_started(self) -> None:
        self._given = []

    def set_option_value(self, _exe_ctx: lldb.SBExecutionContext, name: str, value: str) -> bool:
        """Keeps it. Values are read later, where an error can go into the file of --output."""
        self._given.append((name, value))
        return True

    def handle_option_argument_completion(self, name: str, cursor: int) -> Dict[str, Any]:
        """The value, or --name=VALUE, is what was set last."""
        typed_so_far = self._given[-1][1][:cursor] if self._given else ""
        is_attached = typed_so_far.startswith("--") and "=" in typed_so_far
        return self._complete([typed_so_far] if is_attached else [f"--{name}", typed_so_far])

    def handle_argument_completion(self, words: List[str], position: int,
                                   cursor: int) -> Dict[str, Any]:
        return self._complete([*words[:position], words[position][:cursor]])

    def _complete(self, begun: List[str]) -> Dict[str, Any]:
        try:
            takes_expression = bool(self.takes) and not self.takes_words
            takes_class = "class" in self.takes or self.takes == "<pattern>"
            place = completion.Place(self._debugger, self.options, takes_expression,
                                     takes_class, _described, self.takes == "<file>",
                                     self.words_to_offer())
            return completion.complete(begun, place)
        except Exception:  # a key was pressed: there is nobody to tell
            return {"values": []}

    def words_to_offer(self) -> List[str]:
        """What the word behind the options can be, where that is known."""
        return []

    # ---- Help ----

    def get_long_help(self) -> str:
        """What lldb does not say itself."""
        return self._help(lists_options=not self.is_parsed)

    def _help(self, lists_options: bool) -> str:
        dashes = "" if self.takes_words else "[--] "
        synopsis = f"{self.name} [options]" + (f" {dashes}{self.takes}" if self.takes else "")
        examples = self.verb["examples"]
        width = max([len(example["line"]) for example in examples] or [0])
        shown = "\n".join(f"  {example['line']:<{width}}  {example['why']}".rstrip()
                          for example in examples)
        in_front = "" if self.takes_words or not self.takes else \
            "Options come first; the rest of the line is the expression, as it was typed (options "\
            "after it are taken where it makes no sense with them)."
        takes = parsed.named_argument(self.takes) if self.takes_words else self.takes
        parts = [parsed.usage(self.name, self.options, takes) if lists_options else "",
                 in_front, *parsed.folded(self.verb["help"]), f"Usage: {synopsis}",
                 f"Examples:\n{shown}" if shown else ""]
        return "\n" + "\n\n".join(part.rstrip("\n") for part in parts if part)


def _typed(command: Union[str, lldb.SBStructuredData], result: lldb.SBCommandReturnObject) -> str:
    """What stands behind the command's name, in the form of this lldb."""
    if isinstance(command, str):
        return command
    return typed.rest_of_line(result.GetCommand() or "", _words(command))


def _words(command: Union[str, lldb.SBStructuredData]) -> List[str]:
    assert not isinstance(command, str)
    return [command.GetItemAtIndex(number).GetStringValue(_LONGEST_WORD)
            for number in range(command.GetSize())]


def _described(address: int, context: Context) -> Answer:
    """As describe(), without running anything in the process."""
    return questions.describe(address, context, "memory")
