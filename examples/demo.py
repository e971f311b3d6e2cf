"""lldb's part of the demo: the command `loupe-demo`, which runs a program to each of its leaks.

    loupe-demo          all of them, with Loupe's answers
    loupe-demo first    to the first, and leaves you there
"""
from __future__ import annotations

import os
import shlex
from typing import Any, Dict, NamedTuple, Tuple

import lldb

_HERE = os.path.dirname(os.path.realpath(__file__))


class Stop(NamedTuple):
    """One leak: its title, what the code did, and what a developer would ask."""

    title: str
    story: str
    commands: Tuple[str, ...]


class Tour(NamedTuple):
    """One program: where it stops, its leaks in their order, and what to say around them."""

    breakpoint: str
    stops: Tuple[Stop, ...]
    source: str
    options: str
    to_try: Tuple[str, ...]


_PHOTO_BROWSER = Tour("screenShouldBeGone", (
    Stop("A block that is kept by what it captured",
         "The photo screen was closed. No window shows it any more, and it is still there.",
         ("retain-cycles screen", "block-layout screen->_completion")),
    Stop("A strong delegate",
         "The album screen was closed. Its grid says photoGrid:didSelect: to a delegate.",
         ("retain-cycles screen", "strong-refs screen->_grid")),
    Stop("A repeating timer",
         "The slide show was closed. It would stop its timer in -dealloc.",
         ("retain-cycles screen",)),
), "examples/photo_browser", "", (
    "retain-cycles screen",
    "block-layout screen->_completion",
    "ivar-layout screen",
    "strong-refs screen",
    "retain-cycles --dot leak.dot screen",
))

_NEWS_READER = Tour("feedShouldBeGone", (
    Stop("A way back from what a dictionary holds",
         "The feed was closed. Its articles know the feed they came from.",
         ("retain-cycles feed", "strong-refs feed")),
    Stop("A repeating timer",
         "The feed was closed. It would stop its timer in -dealloc.",
         ("retain-cycles feed", "ivar-layout feed")),
), "examples/news_reader", " --gnustep", (
    "retain-cycles feed",
    "strong-refs feed",
    "ivar-layout feed",
    "retain-cycles --dot leak.dot feed",
))

_WHOLE_HEAP = ("What leaks in the whole heap, with what each leak keeps. The same from a core file, without\n"
               "a debugger: loupe leaks CORE")

WHAT_NEXT = """
That was {source}. To look around in it yourself:

    ./run demo{options} --interactive

and for your own program, in ~/.lldbinit:

    command script import {commands}

then at any breakpoint:

    retain-cycles               about self
    retain-cycles someVariable
    loupe leaks                 about the whole heap
    help retain-cycles
"""

WHAT_NOW = """
You are at the prompt, stopped in {function}. Some things to type:

{lines}
    continue                    to the next leak
"""


class Demo:
    def __init__(self, debugger: lldb.SBDebugger, _internal: Dict[str, Any]) -> None:
        pass

    def get_short_help(self) -> str:
        return "Show what Loupe says about a program that leaks."

    def __call__(self, debugger: lldb.SBDebugger, command: str, exe_ctx: lldb.SBExecutionContext,
                 result: lldb.SBCommandReturnObject) -> None:
        show = Show(debugger)
        problem = show.start()
        if not problem and command.strip() == "first":
            tour = show.tour
            show.say(tour.stops[0].title, tour.stops[0].story)
            show.run("frame select")
            print(WHAT_NOW.format(function=tour.breakpoint,
                                  lines="\n".join(f"    {line}" for line in tour.to_try)))
        elif not problem:
            problem = show.all()
        if problem:
            result.SetError(problem)


class Show:
    """Runs the program and prints like a session at the prompt. Each step says why it failed."""

    def __init__(self, debugger: lldb.SBDebugger) -> None:
        self._debugger = debugger
        self._program = os.environ.get("LOUPE_DEMO_PROGRAM", "")
        self.tour = _NEWS_READER if self._program.endswith("news_reader") else _PHOTO_BROWSER
        self._commands = os.path.join(os.path.dirname(_HERE), "lldb_commands")

    def start(self) -> str:
        if not os.path.exists(self._program):
            return f"the program is not built: {self._program} (./run build builds it)"
        self._debugger.SetAsync(False)
        for line in (f"command script import {shlex.quote(self._commands)}",
                     f"target create {shlex.quote(self._program)}",
                     f"breakpoint set --name {self.tour.breakpoint}",
                     "process launch --stdout /dev/null"):
            problem = self.quietly(line)
            if problem:
                return problem
        return self.not_at_the_breakpoint()

    def all(self) -> str:
        for number, stop in enumerate(self.tour.stops, start=1):
            self.say(f"{number}. {stop.title}", stop.story)
            for line in stop.commands:
                problem = self.run(line)
                if problem:
                    return problem
            if number == len(self.tour.stops):
                self.say("All of them, and no object is named", _WHOLE_HEAP)
                problem = self.run("loupe leaks")
            problem = problem or self.quietly("process continue")
            if not problem and number < len(self.tour.stops):
                problem = self.not_at_the_breakpoint()
            if problem:
                return problem
        print(WHAT_NEXT.format(commands=self._commands, source=self.tour.source,
                               options=self.tour.options))
        return ""

    def not_at_the_breakpoint(self) -> str:
        process = self._debugger.GetSelectedTarget().GetProcess()
        thread = process.GetSelectedThread()
        if thread.GetStopReason() != lldb.eStopReasonBreakpoint:
            return f"the program did not stop in {self.tour.breakpoint}"
        return ""

    def say(self, title: str, story: str) -> None:
        print(f"\n{'-' * 100}\n{title}\n{story}\n")

    def handle(self, line: str) -> lldb.SBCommandReturnObject:
        """Runs one command. lldb 14 knows in a command only the target that was there before."""
        result = lldb.SBCommandReturnObject()
        interpreter = self._debugger.GetCommandInterpreter()
        target = self._debugger.GetSelectedTarget()
        frame = target.GetProcess().GetSelectedThread().GetSelectedFrame()
        if target.IsValid():
            here = lldb.SBExecutionContext(frame) if frame.IsValid() else \
                lldb.SBExecutionContext(target)
            interpreter.HandleCommand(line, here, result)
        else:
            interpreter.HandleCommand(line, result)
        return result

    def quietly(self, line: str) -> str:
        result = self.handle(line)
        return "" if result.Succeeded() else f"{line}: {(result.GetError() or '').strip()}"

    def run(self, line: str) -> str:
        result = self.handle(line)
        print(f"(lldb) {line}")
        print(result.GetOutput() or "")
        return "" if result.Succeeded() else f"{line}: {(result.GetError() or '').strip()}"


def __lldb_init_module(debugger: lldb.SBDebugger, _internal: Dict[str, Any]) -> None:
    debugger.HandleCommand("command script add -o -c demo.Demo loupe-demo")
