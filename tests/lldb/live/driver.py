"""lldb's part of the tests: runs a plan of programs and commands, and writes down what each said.

Imported into a real lldb. `loupe-test-plans IN OUT` carries out the plans whose names come down one
pipe, a line each, and says down the other when one is done. A plan is a JSON list of runs, whose results
are written beside them: {"program", "stop" (function to break in), "core" (a core file instead of a live
process), "frame", "commands": [...]}. A command is run as at the prompt in that frame; one that
begins with "!" is a Python expression over `debugger`, `target`, `process` and `frame`, whose value
is its output; go_on() lets the process run without waiting for it, offers(LINE) is what the tab key
would offer at the end of a line.

The line by which the first command of a session says that it ran code in the program is taken out: which
one that is depends on the plan. test_injection.py sees it.

Commands that say nothing of time may take PATIENCE seconds: what is tested is the whole answer, also
on a machine that is busy with other things.
"""
import importlib
import json
import os
import re
import sys
import traceback

import lldb

PATIENCE = 300.0
RAN = re.compile(r"^warning: .* in the program \(said once; LOUPE_ENGINE=memory refuses it\)\n", re.M)


def run_plans(_debugger, command, exe_ctx, result, _internal):
    pipes = [int(number) for number in command.split()]
    for pipe in pipes:
        os.set_inheritable(pipe, False)  # by no program that lldb starts
    # One of our own: the debugger of the driver prints events on another thread, which does not go
    # well with targets that come and go.
    debugger = lldb.SBDebugger.Create(False)
    folder, environment = os.getcwd(), dict(os.environ)
    with open(pipes[0], encoding="utf-8") as given, open(pipes[1], "w", encoding="utf-8") as told:
        for number, line in enumerate(given):
            with open(line.strip(), encoding="utf-8") as file:
                plan = json.load(file)
            if number == 0:
                debugger.HandleCommand(f'command script import "{plan["import"]}"')
                _be_patient()
            # Whatever the plan before did to them.
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            _run_plan(debugger, plan)
            print("done", file=told, flush=True)


def _run_plan(debugger, plan):
    debugger.SetAsync(False)
    results = []
    for run in plan["runs"]:
        try:
            results.append(_run(debugger, run))
        except Exception:
            results.append({"problem": traceback.format_exc(), "commands": []})
    with open(plan["results"], "w", encoding="utf-8") as file:
        json.dump(results, file)


def _be_patient():
    """Before any command is loaded, which reads its defaults from the table of verbs."""
    [package] = [name[:-len(".verbs")] for name in sys.modules if name.endswith("lldb_commands.verbs")]
    limits = [option for verb in sys.modules[f"{package}.verbs"].OF_LLDB for option in verb["lldb"]["options"]
              if option["name"] == "timeout" and option["default"]]
    assert limits, "no verb has a time limit of its own"
    for option in limits:
        option["default"] = str(PATIENCE)
    options = importlib.import_module(f"{package}.line.options")
    options.SECONDS = options.HEAP_SECONDS = PATIENCE


def _run(debugger, run):
    error = lldb.SBError()
    target = debugger.CreateTarget(run.get("program") or "", None, None, True, error)
    assert target.IsValid(), error.GetCString()
    debugger.SetSelectedTarget(target)
    settings = [line.split()[2] for line in run["commands"] if line.startswith("settings set ")]
    before = {name: debugger.GetInternalVariableValue(name, debugger.GetInstanceName()) for name in settings}
    try:
        if run.get("core"):
            process = target.LoadCore(run["core"])
        else:
            process = _launch(target, run) if run.get("stop") else None
        return _carry_out(debugger, target, process, run)
    finally:
        for name, value in before.items():  # the next run has what this one was given
            debugger.HandleCommand(f"settings set {name} {value.GetStringAtIndex(0)}")
        # The target of a killed process stays: lldb 22 may still tell of its end, and crash.
        if run.get("core") or not target.GetProcess().IsValid():
            debugger.DeleteTarget(target)
        else:
            target.GetProcess().Kill()


def _launch(target, run):
    target.BreakpointCreateByName(run["stop"])
    launch = lldb.SBLaunchInfo(run.get("arguments"))
    launch.SetWorkingDirectory(os.getcwd())
    launch.AddSuppressFileAction(1, False, True)
    error = lldb.SBError()
    process = target.Launch(launch, error)
    assert error.Success(), error.GetCString()
    return process


def _carry_out(debugger, target, process, run):
    frame = None
    if process is not None:
        thread = _thread_in(process, run["stop"])
        assert thread is not None, f"no thread stopped in {run['stop']}"
        process.SetSelectedThread(thread)
        thread.SetSelectedFrame(run.get("frame", 1))
        frame = thread.GetFrameAtIndex(run.get("frame", 1))
    return {"problem": "", "commands": [_command(debugger, target, frame, line)
                                        for line in run["commands"]]}


def _thread_in(process, function):
    for thread in process:
        if thread.GetFrameAtIndex(0).GetFunctionName() == function:
            return thread
    return None


def _go_on(debugger, target):
    """Continues, and fetches events until lldb knows that the process runs."""
    debugger.SetAsync(True)
    target.GetProcess().Continue()
    event = lldb.SBEvent()
    while target.GetProcess().GetState() == lldb.eStateStopped and \
            debugger.GetListener().WaitForEvent(10, event):
        pass
    debugger.SetAsync(False)
    return debugger.StateAsCString(target.GetProcess().GetState())


def _offers(debugger, line):
    words = lldb.SBStringList()
    debugger.GetCommandInterpreter().HandleCompletion(line, len(line), 0, -1, words)
    # The first one is what all have in common.
    return [words.GetStringAtIndex(index) for index in range(1, words.GetSize())]


def _command(debugger, target, frame, line):
    if line.startswith("!"):
        names = {"debugger": debugger, "target": target, "process": target.GetProcess(),
                 "frame": frame, "lldb": lldb, "go_on": lambda: _go_on(debugger, target),
                 "offers": lambda begun: _offers(debugger, begun)}
        return {"line": line, "ok": True, "output": str(eval(line[1:], names)), "error": ""}
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, result)
    return {"line": line, "ok": result.Succeeded(), "output": result.GetOutput() or "",
            "error": RAN.sub("", result.GetError() or "")}


def __lldb_init_module(debugger, _internal):
    debugger.HandleCommand("command script add -o -f driver.run_plans loupe-test-plans")
