"""Runs inside lldb: the same questions about one fixture, asked of every engine.

Environment: LOUPE_PLUGIN, LOUPE_HELPER, LOUPE_GDB, LOUPE_WORK, LOUPE_FIXTURES (the folder of built
ones), LOUPE_SOURCES (tests/fixtures), LOUPE_FIXTURE, LOUPE_PHASE. The phase "live" asks the running
program and saves cores, "cores" asks those. Writes LOUPE_WORK/PHASE.json: {engine: {"QUERY
EXPRESSION": answer}}, or {"problem": text}.

One run of lldb for each phase and fixture: lldb 22 does not load the minidump of the third process
that was launched in a session, but waits for ever.
"""
import json
import os
import subprocess
import sys

import lldb

sys.path.insert(0, os.environ["LOUPE_SOURCES"])
import expectation  # noqa: E402

QUERIES = ("retain-cycles", "strong-refs", "ivar-layout", "block-layout")
MAX_RINGS = 300


class Problem(Exception):
    """Why a fixture could not be asked."""


def addresses(frame, expressions):
    """The objects to ask about; a block's pointer is in its data, its value is lldb's business."""
    found = {}
    for name in expressions:
        variable = frame.FindVariable(name)
        if not variable.IsValid():
            raise Problem(f"no variable {name}")
        found[name] = variable.GetNonSyntheticValue().GetData().GetUnsignedInt64(lldb.SBError(), 0)
    return found


def ask_plugin(debugger, query, address):
    result = lldb.SBCommandReturnObject()
    command = f"loupe-engine {query} --address {address:#x} --max-rings {MAX_RINGS}"
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    if not result.Succeeded():
        raise Problem(f"{command}: {result.GetError()}")
    return json.loads(result.GetOutput())


def ask_helper(target, query, address):
    entry = target.FindSymbols("loupe_ask").GetContextAtIndex(0).GetSymbol()
    function = entry.GetStartAddress().GetLoadAddress(target)
    call = (
        f"((const char *(*)(const char *, void *, unsigned long, unsigned, unsigned, unsigned))"
        f'{function:#x})("{query}", (void *){address:#x}, 0, {MAX_RINGS}, 0, 0)'
    )
    options = lldb.SBExpressionOptions()
    options.SetLanguage(lldb.eLanguageTypeC_plus_plus)
    options.SetIgnoreBreakpoints(True)
    options.SetTryAllThreads(False)
    options.SetTimeoutInMicroSeconds(5000000)
    value = target.EvaluateExpression(call, options)
    error = lldb.SBError()
    reply = value.GetValueAsUnsigned()
    text = target.GetProcess().ReadCStringFromMemory(reply, 1 << 22, error) if reply else ""
    if not text:
        raise Problem(f"the helper did not answer: {value.GetError()} {error}")
    return json.loads(text)


def launch(debugger, program):
    target = debugger.CreateTarget(program)
    # In the program alone: elsewhere lldb would read all symbols of every library for the name.
    target.BreakpointCreateByName("loupe_fixture_ready", os.path.basename(program))
    error = lldb.SBError()
    info = target.GetLaunchInfo()
    info.AddSuppressFileAction(1, False, True)
    process = target.Launch(info, error)
    if not error.Success() or process.GetState() != lldb.eStateStopped:
        raise Problem(f"does not stop: {error}")
    return target, process


def gcore(program, path):
    """An ELF core of the fixture at its stop, by gdb."""
    commands = ["set confirm off", "set breakpoint pending on", "break loupe_fixture_ready", "run",
                f"gcore {path}", "kill"]  # fmt: skip
    arguments = [part for command in commands for part in ("-ex", command)]
    run = subprocess.run(
        [os.environ["LOUPE_GDB"], "-nx", "-batch", *arguments, program],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not os.path.exists(path):
        raise Problem(f"gdb wrote no core: {run.stderr[-300:]}")


def ask_core(debugger, program, path, expressions):
    debugger.HandleCommand(f"target create --core '{path}' '{program}'")
    target = debugger.GetSelectedTarget()
    process = target.GetProcess()
    if not process.IsValid():
        raise Problem(f"lldb does not load {path}")
    frame = next(
        thread.GetFrameAtIndex(1)
        for thread in process
        if thread.GetFrameAtIndex(0).GetFunctionName() == "loupe_fixture_ready"
    )
    answers = {
        f"{query} {name}": ask_plugin(debugger, query, address)
        for name, address in addresses(frame, expressions).items()
        for query in QUERIES
    }
    debugger.DeleteTarget(target)
    return answers


def ask_live(debugger, program, work, expressions):
    """Asks the plugin and the helper about the running program; leaves cores for ask_core()."""
    target, process = launch(debugger, program)
    frame = process.GetThreadAtIndex(0).GetFrameAtIndex(1)
    asked = [(n, a, q) for n, a in addresses(frame, expressions).items() for q in QUERIES]
    answers = {"live": {f"{q} {n}": ask_plugin(debugger, q, a) for n, a, q in asked}}
    with_cores = "cores" in os.environ.get("LOUPE_PHASES", "cores")
    error = process.SaveCore(os.path.join(work, "minidump")) if with_cores else lldb.SBError()
    if error.Fail():
        raise Problem(f"no minidump: {error}")
    process.LoadImage(lldb.SBFileSpec(os.environ["LOUPE_HELPER"]), lldb.SBError())
    answers["helper"] = {f"{q} {n}": ask_helper(target, q, a) for n, a, q in asked}
    process.Kill()  # the target stays: lldb 22 may tell of its end later, and crash without it
    if with_cores:
        gcore(program, os.path.join(work, "elf"))
    return answers


def ask_terminal(path, questions):
    """The same questions, "QUERY EXPRESSION" by address, of the reader that needs no debugger."""
    return {question: json.loads(subprocess.run(
        [os.environ["LOUPE_ASK_TARGET"], path, question.partition(" ")[0], address],
        capture_output=True, text=True, check=True).stdout)
        for question, address in questions.items()}  # fmt: skip


def address_of(answer):
    """What an answer is about."""
    for key in ("seed", "object"):
        if key in answer:
            return answer[key]
    about = answer.get("block") or answer.get("class") or answer["error"]
    return about["address"]


def ask_cores(debugger, program, work, expressions):
    answers = {
        kind: ask_core(debugger, program, os.path.join(work, kind), expressions)
        for kind in ("minidump", "elf")
    }
    seeds = {expression: address_of(answers["elf"][f"retain-cycles {expression}"])
             for expression in expressions}  # fmt: skip
    questions = {question: seeds[question.partition(" ")[2]] for question in answers["elf"]}
    answers["terminal"] = ask_terminal(os.path.join(work, "elf"), questions)
    return answers


def __lldb_init_module(debugger, _):
    debugger.SetAsync(False)
    debugger.HandleCommand(f"plugin load '{os.environ['LOUPE_PLUGIN']}'")
    phase = os.environ["LOUPE_PHASE"]
    ask = {"live": ask_live, "cores": ask_cores}[phase]
    fixture = os.environ["LOUPE_FIXTURE"]
    program = os.path.join(os.environ["LOUPE_FIXTURES"], fixture)
    work = os.environ["LOUPE_WORK"]
    try:
        answers = ask(debugger, program, work, list(expectation.load(fixture)))
    except Problem as problem:
        answers = {"problem": str(problem)}
    with open(os.path.join(work, f"{phase}.json"), "w", encoding="utf-8") as file:
        json.dump(answers, file)
