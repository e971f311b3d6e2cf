"""Whole reports of answers written by hand, as the commands print them: by the library of answers/."""
from lldb_commands.render.style import Style
from lldb_commands.reporting.report import as_text


def report(answer, style=Style(), asked="", verbose=False):
    return as_text(answer, style, asked, verbose)


def lines_of(answer, style=Style(), **options):
    return report(answer, style, **options).split("\n")
