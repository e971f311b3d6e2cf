"""The options of commands as Loupe reads them from a line; verbs.py has the table of them.

Where an expression is taken, options stand in front; the first word that is no option begins the
expression, verbatim. So `retain-cycles -n 3 [self delegate]` and `retain-cycles -- -1` arrive as
they were typed, with their quotes and spaces. Options behind an expression are taken where the
whole makes no sense as one. A bundle of letters (`-jq`), a value after `=`
(`--limit=5`) and, as in lldb, the beginning of a name that no other has (`--max 5`) work too.
Errors begin with lldb's words for the same mistake.
"""
from __future__ import annotations

import difflib
import os
import re
import shlex
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ..errors import LoupeError

Values = Dict[str, Any]
LARGEST_COUNT = 0xffffffff


def count(text: str) -> int:
    """A whole number above 0 that an engine can take."""
    number = int(text, 0)
    if not 1 <= number <= LARGEST_COUNT:
        raise ValueError
    return number


def any_count(text: str) -> int:
    """A whole number that an engine can take; 0 stands for all."""
    return 0 if text == "0" else count(text)


def seconds(text: str) -> float:
    """A time above 0."""
    number = float(text)
    if not 0 < number < 1e6:
        raise ValueError
    return number


def path(text: str) -> str:
    """The name of a file, with ~ expanded."""
    if not text:
        raise ValueError
    return os.path.expanduser(text)


def expression(text: str) -> str:
    """Any text; one with spaces stands in quotes."""
    if not text:
        raise ValueError
    return text


@dataclass(frozen=True)
class Option:
    """One option. Without `read` it is a flag; `read` raises ValueError for a bad value."""

    long: str
    help: str
    short: str = ""
    value: str = ""  # what the help calls the value: "SECONDS"
    read: Optional[Callable[[str], Any]] = None
    default: Any = None
    repeat: bool = False  # may be given more than once: its value is a list
    choices: Tuple[str, ...] = ()  # the only values

    @property
    def key(self) -> str:
        return self.long.replace("-", "_")

    def synopsis(self) -> str:
        names = (f"-{self.short}, " if self.short else "    ") + f"--{self.long}"
        return f"{names} {self.value}".rstrip()


SECONDS, HEAP_SECONDS = 10.0, 120.0  # for a question, and one about a whole heap
_READERS: Dict[str, Callable[[str], Any]] = {
    "text": expression, "class": expression, "choice": expression, "expressions": expression,
    "file": path, "folder": path, "count": count, "number": any_count, "seconds": seconds}


def of_table(rows: Sequence[Mapping[str, Any]], has_keys: bool) -> Tuple[Option, ...]:
    """The options of a verb. has_keys: where lldb parses the line, each has a letter."""
    return tuple(_of_row(row, has_keys) for row in rows)


def _of_row(row: Mapping[str, Any], has_keys: bool) -> Option:
    read = _READERS.get(row["kind"])
    default = read(row["default"]) if read and row["default"] is not None else None
    letter = row["letter"] or (row["key"] if has_keys else None)
    return Option(row["name"], row["help"], short=letter or "", value=row["argument"] or "",
                  read=read, default=default, repeat=row["kind"] == "expressions",
                  choices=tuple(row["choices"]))


_PLAIN_WORD = re.compile(r"[ \t\r\n]*([^ \t\r\n'\"\\]+)(?:[ \t\r\n]|\Z)")  # as most are


def first_word(text: str) -> Tuple[str, str]:
    """The first word of text, with quotes and backslashes as lldb takes them, and the rest."""
    plain = _PLAIN_WORD.match(text)
    if plain is not None:
        return plain[1], text[plain.end():]
    lexer = shlex.shlex(text, posix=True, punctuation_chars="")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        word = lexer.get_token()
    except ValueError:
        raise LoupeError("a quote is not closed in the options") from None
    # The lexer has read the word and at most one space after it.
    return word or "", text[lexer.instream.tell():]


def _unknown(name: str, table: Sequence[Option]) -> LoupeError:
    close = difflib.get_close_matches(name.lstrip("-"), [option.long for option in table], 1)
    hint = f"did you mean --{close[0]}?" if close else "write -- before such an expression"
    return LoupeError(f"unknown or ambiguous option {name}; {hint}")


def find(name: str, table: Sequence[Option]) -> Optional[Option]:
    for option in table:
        if name in (f"--{option.long}", f"-{option.short}" if option.short else None):
            return option
    begun = [option for option in table if len(name) > 2 and f"--{option.long}".startswith(name)]
    if len(begun) > 1:
        raise LoupeError(f"unknown or ambiguous option {name}, which may be " +
                         " or ".join(f"--{option.long}" for option in begun))
    return begun[0] if begun else None


def from_behind(text: str, table: Sequence[Option]) -> Optional[Tuple[Values, str]]:
    """The options that stand behind an expression, and the expression; None where there are none.

    `self -j` can be meant as an expression, too: ask only where it makes no sense as one."""
    for place in re.finditer(r"\s(?=--?[A-Za-z])", text):
        front, rest = text[:place.start()].rstrip(), text[place.end():]
        try:
            values, left = split_words(rest, table)
        except LoupeError:
            continue
        if front and not left and values != defaults(table):
            return values, front
    return None


def _read(option: Option, text: str) -> Any:
    assert option.read is not None
    try:
        if option.choices and text not in option.choices:
            raise ValueError
        return option.read(text)
    except ValueError:
        raise LoupeError(f"--{option.long} takes {_article(option)}, not '{text}'{_why(text)}") from None


def _why(text: str) -> str:
    """What is wrong with a number that is one."""
    too_large = re.fullmatch(r"\d{9,}|0[xX][0-9a-fA-F]{8,}", text)
    return f", which is beyond {LARGEST_COUNT}" if too_large else ""


def _article(option: Option) -> str:
    if option.choices:
        *front, last = option.choices
        return f"{', '.join(front)} or {last}" if front else last
    return {"SECONDS": "a number of seconds above 0",
            "N": "a number above 0" if option.read is count else "a number",
            "FILE": "a file name", "EXPR": "an expression",
            "PATTERN": "the name of a class"}[option.value]


def looks_like_option(word: str) -> bool:
    # -[Foo bar], -1 and -x->y are expressions.
    return len(word) > 1 and word[0] == "-" and (word[1] == "-" or word[1].isalpha())


def _default(option: Option) -> Any:
    return [] if option.repeat else option.default if option.read else False


def _set(option: Option, text: str, values: Values) -> None:
    value = _read(option, text)
    values[option.key] = [*values[option.key], value] if option.repeat else value


def defaults(table: Sequence[Option]) -> Values:
    return {option.key: _default(option) for option in table}


def split(line: str, table: Sequence[Option]) -> Tuple[Values, str]:
    """Takes the options off the front of line: their values by key, and the expression."""
    values = defaults(table)
    rest = line.strip()
    while rest.startswith("-"):
        word, after = first_word(rest)
        if word == "--":
            return values, after.strip()
        if not looks_like_option(word):
            break
        rest = _take(word, after, table, values).lstrip()
    return values, rest


def split_words(line: str, table: Sequence[Option]) -> Tuple[Values, List[str]]:
    """As lldb's own parser does it: options anywhere in front of `--`, one dash may do for two, and
    what is left are words without their quotes."""
    values = defaults(table)
    words: List[str] = []
    rest = line.strip()
    while rest:
        word, after = first_word(rest)
        if word == "--":
            while after.strip():
                word, after = first_word(after.strip())
                words.append(word)
            break
        if len(word) > 1 and word[0] == "-":
            after = _take(_two_dashes(word, table), after, table, values)
        else:
            words.append(word)
        rest = after.strip()
    return values, words


def _two_dashes(word: str, table: Sequence[Option]) -> str:
    """--json for -json, unless the letters stand for options of their own."""
    name = word.partition("=")[0]
    if len(name) < 3 or word.startswith("--"):
        return word
    begun = [option for option in table if option.long.startswith(name[1:])]
    return f"-{word}" if len(begun) == 1 else word


def of_given(given: Sequence[Tuple[str, str]], table: Sequence[Option]) -> Values:
    """The values of options that lldb has taken off a line: their long names, and their text."""
    values = defaults(table)
    for name, text in given:
        option = find(f"--{name}", table)
        if option is not None and option.read is not None:
            _set(option, text, values)
        elif option is not None:
            values[option.key] = True
    return values


_OF_ERRORS = ("json", "output", "dot", "html", "format", "append")


def where_errors_go(line: str, table: Sequence[Option]) -> Values:
    """--json and the files that a line names which was not understood, wherever they stand."""
    wanted = [option for option in table if option.key in _OF_ERRORS]
    values = defaults(wanted)
    rest = line.strip()
    while rest:
        try:
            word, after = first_word(rest)
        except LoupeError:
            break
        try:
            rest = _take(word, after, wanted, values).lstrip() if looks_like_option(word) else after
        except LoupeError:
            rest = after
        rest = rest.lstrip()
    return values


def _take(word: str, after: str, table: Sequence[Option], values: Values) -> str:
    """Takes one word of options, and the value after it if it needs one. Returns what is left."""
    name, equals, attached = word.partition("=")
    option = find(name, table)
    if option is None and not word.startswith("--"):
        return _take_bundle(word, after, table, values)
    if option is None:
        raise _unknown(name, table)
    if option.read is None:
        if equals:
            raise LoupeError(f"--{option.long} takes no value")
        values[option.key] = True
        return after
    if not equals:
        attached, after = first_word(after.lstrip())
        if not attached:
            raise LoupeError("last option requires an argument: "
                             f"--{option.long} needs {_article(option)}")
    _set(option, attached, values)
    return after


def _take_bundle(word: str, after: str, table: Sequence[Option], values: Values) -> str:
    """-jq, and -n3."""
    options: List[Option] = []
    for position, letter in enumerate(word[1:], start=2):
        option = find(f"-{letter}", table)
        if option is None:
            raise _unknown(word, table)
        if option.read is not None:
            if not word[position:]:
                return _take(f"-{letter}", after, table, values)
            _set(option, word[position:], values)
            break
        options.append(option)
        values[option.key] = True
    return after
