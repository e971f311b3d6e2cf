"""A question that a debugger cuts off, and what can be asked afterwards. Runs inside lldb:

    lldb -b -o "command script import cut_off.py" -o "cut-off PROGRAM"
"""
import os
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from deadlock import Failure, call, word_of  # noqa: E402

TAKE_OVER = 1
TEXT = "((const char *(*)(void *)){0})((void *){1:#x})"
ANY = ("((const char *(*)(const char *, const void *, unsigned long, unsigned, unsigned, unsigned))"
       "loupe_ask)(\"{0}\", (void *){1:#x}, 0, 0, 0, {2})")


def mapped(process):
    with open(f"/proc/{process.GetProcessID()}/statm", encoding="ascii") as file:
        return int(file.read().split()[0])


def ask(target, expression, wanted):
    process = target.GetProcess()
    thread = process.GetSelectedThread()
    reply = call(thread, expression, 30)
    if reply is None:
        raise Failure(f"{expression} did not come back")
    text = process.ReadCStringFromMemory(reply, 1 << 20, lldb.SBError())
    if wanted not in text:
        raise Failure(f"{expression}: no {wanted} in {text}")


def test(debugger, program):
    target = debugger.CreateTarget(program)
    target.BreakpointCreateByName("loupe_test_ready")
    error = lldb.SBError()
    process = target.Launch(lldb.SBLaunchInfo([]), error)
    if error.Fail():
        raise Failure(f"launch: {error}")
    process.SetSelectedThread(next(thread for thread in process
                                   if thread.GetStopReason() == lldb.eStopReasonBreakpoint))
    block, owner = (word_of(target, f"loupe_test_{name}") for name in ("block", "owner"))
    refs = TEXT.format("loupe_strong_refs", owner)
    ask(target, refs, '"status":"ok"')
    before = mapped(process)
    if call(process.GetSelectedThread(), TEXT.format("loupe_dispose_probe", block), 1) is not None:
        raise Failure("the endless helper came back")
    # Refused until somebody says that the call is lost.
    ask(target, refs, "another question is under way")
    ask(target, ANY.format("retain-cycles", owner, 0), "another question is under way")
    ask(target, ANY.format("retain-cycles", owner, TAKE_OVER), '"knots_found":1')
    # As if nothing had been.
    ask(target, refs, '"status":"ok"')
    if mapped(process) != before:
        raise Failure(f"{mapped(process) - before} pages stay mapped")
    process.Kill()


def command(debugger, text, result, _):
    try:
        test(debugger, text.strip())
        print("PASSED")
    except Failure as failure:
        result.SetError(f"{failure}")


def __lldb_init_module(debugger, _):
    debugger.HandleCommand(f"command script add -f {__name__}.command cut-off")
