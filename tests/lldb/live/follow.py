"""lldb's part of test_first_fixes.py: follows the first advice about each knot in a process of its own
and lets that go on.

Imported into a real lldb. `loupe-test-follow PLAN` reads {"fixtures": {NAME: {"program", "asked",
"environment", "wrong"}}, "results", "import"} and writes a list of trials. A reference that
is not to retain becomes nil, as what is done about it in -dealloc goes with it. With "wrong" what was
asked about is released once too often instead.
"""
import json
import os
import tempfile

import cut
import lldb

STEPS = 10
RINGS_SHOWN = 5  # as `loupe leaks` has them
ENDED = ("invalidate", "invalidate-before")


def run(debugger, command, _exe_ctx, _result, _internal):
    with open(command.strip(), encoding="utf-8") as file:
        plan = json.load(file)
    debugger = lldb.SBDebugger.Create(False)
    debugger.SetAsync(False)
    debugger.HandleCommand(f'command script import "{plan["import"]}"')
    trials = [{"fixture": name, "expression": expression, **trial}
              for name, fixture in plan["fixtures"].items() for expression in fixture["asked"]
              for trial in _trials(debugger, fixture, expression)]
    with open(plan["results"], "w", encoding="utf-8") as file:
        json.dump(trials, file)


def _trials(debugger, fixture, expression):
    """One for each knot, and first one in which nobody changes anything."""
    untouched = _trial(debugger, fixture, expression, None)
    yield untouched
    for knot, facts in enumerate(untouched["answer"].get("knots") or []):
        if facts["fixes"]:
            yield {"knot": knot, **_trial(debugger, fixture, expression, knot)}


def _trial(debugger, fixture, expression, knot):
    target = debugger.CreateTarget(fixture["program"])
    debugger.SetSelectedTarget(target)
    target.BreakpointCreateByName("loupe_fixture_ready")
    with tempfile.TemporaryDirectory() as directory:
        said, complained = (os.path.join(directory, name) for name in ("said", "complained"))
        process = _launch(target, said, complained, fixture["environment"])
        try:
            change = _release_asked if fixture.get("wrong") else _change
            trial = _follow(debugger, process, expression, knot, change)
        finally:
            process.Kill()
        for name, file in (("said", said), ("complained", complained)):
            with open(file, encoding="utf-8", errors="replace") as lines:
                trial[name] = lines.read().splitlines()
        return trial


def _launch(target, said, complained, environment):
    launch = lldb.SBLaunchInfo(None)
    launch.SetWorkingDirectory(os.getcwd())
    launch.SetEnvironmentEntries([f"{name}={value}" for name, value in environment.items()], True)
    launch.AddOpenFileAction(1, said, False, True)
    launch.AddOpenFileAction(2, complained, False, True)
    error = lldb.SBError()
    process = target.Launch(launch, error)
    assert error.Success(), error.GetCString()
    for thread in process:
        if thread.GetFrameAtIndex(0).GetFunctionName() == "loupe_fixture_ready":
            process.SetSelectedThread(thread)
            return process
    raise AssertionError("did not stop")


def _follow(debugger, process, expression, knot, change):
    frame = process.GetSelectedThread().SetSelectedFrame(1)
    answer = cut._ask(debugger, expression, RINGS_SHOWN)
    everything = cut._ask(debugger, expression, cut.RINGS)
    trial = {"answer": answer, "watched": cut._watched(process.GetTarget()), "problem": ""}
    if knot is not None:
        trial["problem"] = change(frame, answer["knots"][knot], everything)
    if not trial["problem"]:
        trial["problem"] = _go_on(frame)
    if not trial["problem"]:
        process.Continue()
        trial["ended"] = process.GetState() == lldb.eStateExited
        trial["status"] = process.GetExitStatus()
    return trial


def _change(frame, knot, everything):
    """The first fix, or all of those that are needed together."""
    fixes = [fix for fix in knot["fixes"] if fix["together"]] or knot["fixes"][:1]
    for fix in fixes:
        problem = _end(frame, fix) if fix["do"] in ENDED else _weaken(frame, fix, knot, everything)
        if problem:
            return problem
    return ""


def _release_asked(frame, _knot, everything):
    return _send(frame, everything["seed"], "release")


def _end(frame, fix):
    return _send(frame, fix["edge"]["from"], "invalidate")


def _weaken(frame, fix, knot, everything):
    slots = cut._slots(fix, knot, everything)
    if not slots:
        return "no slot to write to"
    return cut._cut(frame, slots)


def _send(frame, address, selector):
    return _run(frame, f'((void *(*)(void *, void *))objc_msgSend)((void *){address}, '
                f'((void *(*)(const char *))sel_registerName)("{selector}"))'
                if frame.GetThread().GetProcess().GetTarget().FindSymbols("objc_msgSend").GetSize()
                else _by_lookup(address, selector))


def _by_lookup(address, selector):
    named = f'((void *(*)(const char *))sel_registerName)("{selector}")'
    method = f"((void *(*)(void *, void *))objc_msg_lookup)((void *){address}, {named})"
    return f"((void *(*)(void *, void *)){method})((void *){address}, {named})"


def _go_on(frame):
    return _run(frame, f"((void (*)(unsigned))fixture_go_on)({STEPS})")


def _run(frame, expression):
    value = frame.EvaluateExpression(expression)
    error = value.GetError()
    # An expression that returns nothing has an error that is none.
    return "" if error.Success() or error.GetError() == 0x1001 else f"{expression}: {error.GetCString()}"


def __lldb_init_module(debugger, _internal):
    debugger.HandleCommand("command script add -o -f follow.run loupe-test-follow")
