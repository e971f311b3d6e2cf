"""lldb's part of test_fixes.py: makes each proposed fix in a process of its own and lets it run on.

Imported into a real lldb. `loupe-test-cuts PLAN` reads {"fixtures": {NAME: {"program", "asked":
[EXPRESSION...]}}, "results", "import"} and writes a list of trials beside it. A fix is made as
weakness would: nil goes into the slot, and what stood there is released.
"""
import json
import os
import tempfile

import lldb

RINGS = 2000  # so that an ivar which is weak everywhere is found everywhere


def run_cuts(debugger, command, exe_ctx, result, _internal):
    with open(command.strip(), encoding="utf-8") as file:
        plan = json.load(file)
    debugger = lldb.SBDebugger.Create(False)  # as in driver.py
    debugger.SetAsync(False)
    debugger.HandleCommand(f'command script import "{plan["import"]}"')
    trials = [trial for name, fixture in plan["fixtures"].items()
              for expression in fixture["asked"]
              for trial in _trials(debugger, fixture["program"], name, expression)]
    with open(plan["results"], "w", encoding="utf-8") as file:
        json.dump(trials, file)


def _trials(debugger, program, fixture, expression):
    """One for each fix of each knot, and first one that changes nothing."""
    untouched = _trial(debugger, program, expression, None)
    yield {"fixture": fixture, "expression": expression, **untouched}
    for knot, facts in enumerate(untouched["answer"].get("knots") or []):
        for fix in range(len(facts["fixes"])):
            made = _trial(debugger, program, expression, (knot, fix))
            yield {"fixture": fixture, "expression": expression, "knot": knot, "fix": fix, **made}


def _trial(debugger, program, expression, chosen):
    target = debugger.CreateTarget(program)
    debugger.SetSelectedTarget(target)
    target.BreakpointCreateByName("loupe_fixture_ready")
    with tempfile.TemporaryDirectory() as directory:
        said = os.path.join(directory, "said")
        process = _launch(target, said)
        try:
            frame = process.GetSelectedThread().SetSelectedFrame(1)
            answer, everything = (_ask(debugger, expression, rings) for rings in (1, RINGS))
            trial = {"answer": answer, "watched": _watched(target)}
            if chosen:
                fix = answer["knots"][chosen[0]]["fixes"][chosen[1]]
                slots = _slots(fix, answer["knots"][chosen[0]], everything)
                trial["problem"] = _cut(frame, slots) if slots else "no slot to write to"
            if not trial.get("problem"):
                process.Continue()
                trial["ended"] = process.GetState() == lldb.eStateExited
            with open(said, encoding="utf-8") as file:
                trial["said"] = file.read().splitlines()
            return trial
        finally:
            process.Kill()


def _launch(target, said):
    launch = lldb.SBLaunchInfo(None)
    launch.SetWorkingDirectory(os.getcwd())
    launch.AddOpenFileAction(1, said, False, True)
    launch.AddSuppressFileAction(2, False, True)
    error = lldb.SBError()
    process = target.Launch(launch, error)
    assert error.Success(), error.GetCString()
    for thread in process:
        if thread.GetFrameAtIndex(0).GetFunctionName() == "loupe_fixture_ready":
            process.SetSelectedThread(thread)
            return process
    raise AssertionError("did not stop")


def _ask(debugger, expression, rings):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(
        f"retain-cycles --json --engine memory -n {rings} {expression}", result)
    assert result.Succeeded(), result.GetError()
    return json.loads(result.GetOutput())


def _watched(target):
    """The names that the fixture gave its objects, by address; none on GNUstep."""
    if not target.FindGlobalVariables("watched_count", 1).GetSize():
        return {}
    array, count = (target.FindGlobalVariables(name, 1).GetValueAtIndex(0)
                    for name in ("watched", "watched_count"))
    names = {}
    for index in range(count.GetValueAsUnsigned()):
        entry = array.GetChildAtIndex(index)
        name = entry.GetChildMemberWithName("name").GetData().GetString(lldb.SBError(), 0)
        names[hex(entry.GetChildMemberWithName("object").GetValueAsUnsigned())] = name
    return names


def _slots(fix, knot, everything):
    """The words that the fix is about; of an ivar those in all objects of its class. The change for
    a block's __block variable is to what the variable holds."""
    edges = [fix["edge"], *fix["with"]]
    known = [edge for other in everything["knots"] for ring in other["rings"]
             for edge in ring["edges"]]
    variables = {edge["to"] for edge in edges
                 if everything["objects"].get(edge["to"], {}).get("kind") == "byref"}
    if variables:
        edges = [edge for edge in known if edge["from"] in variables]
    if fix["everywhere"] is not None:
        ivars = {_ivar(edge, everything) for edge in edges}
        edges = edges + [edge for edge in known if _ivar(edge, everything) in ivars]
    return sorted({edge["slot"] for edge in edges if edge.get("slot")})


def _ivar(edge, answer):
    return answer["objects"][edge["from"]]["class"], edge["kind"], edge["path"]


def _release(target, held):
    """The expression that releases an object, in a program with ARC and in one without."""
    if target.FindSymbols("objc_release").GetSize():
        return f"((long (*)(void *))objc_release)({held})"
    selector = '((void *(*)(const char *))sel_registerName)("release")'
    method = f"((void *(*)(void *, void *))objc_msg_lookup)({held}, {selector})"
    return f"((long (*)(void *, void *)){method})({held}, {selector})"


def _cut(frame, slots):
    """Writes all nils before the first release: what that frees may have been another's holder."""
    process, error = frame.GetThread().GetProcess(), lldb.SBError()
    size = process.GetAddressByteSize()
    held = [process.ReadPointerFromMemory(int(slot, 16), error) for slot in slots]
    for slot in slots:
        process.WriteMemory(int(slot, 16), bytes(size), error)
        if error.Fail():
            return f"{slot}: {error.GetCString()}"
    for address in filter(None, held):
        value = frame.EvaluateExpression(_release(process.GetTarget(), f"(void *){address:#x}"))
        if value.GetError().Fail():
            return f"release of {address:#x}: {value.GetError().GetCString()}"
    return ""


def __lldb_init_module(debugger, _internal):
    debugger.HandleCommand("command script add -o -f cut.run_cuts loupe-test-cuts")
