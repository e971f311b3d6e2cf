"""Asks the helper while another thread, which does not run, holds a lock of malloc, of the loader or
of the runtime. Runs inside lldb:

    lldb -b -o "command script import deadlock.py" -o "deadlock PROGRAM LIBRARY"

Each stop proves first that the lock is held: a call that needs it does not come back.
"""
import json
import shlex

import lldb

QUESTIONS = (("loupe_block_layout", "loupe_test_block"), ("loupe_dispose_probe", "loupe_test_block"),
             ("loupe_dispose_probe", "loupe_test_owner"),
             ("loupe_ivar_layout", "loupe_test_owner"), ("loupe_strong_refs", "loupe_test_owner"),
             ("loupe_retain_cycles", "loupe_test_owner"))
# Where the first thread stops (the first of these functions that there is, by the names of Apple's
# runtime and of the double), and a call that has to wait for the lock it then holds.
STOPS = (("malloc", ("sbrk",), "((void *(*)(unsigned long))loupe_test_allocate)(100000)"),
         ("the loader", ("loupe_test_constructor",),
          "((void *(*)(void *, const char *))dlsym)((void *)0, \"free\")"),
         ("a side table", ("weak_register_no_lock", "rt_weak_register"),
          "((void *(*)(void))loupe_test_load_weak)()"),
         ("the runtime", ("NXMapInsertWithHash", "NXMapInsert", "rt_class_name_add"),
          "((void *(*)(const char *))objc_getClass)(\"Owner\")"))


class Failure(Exception):
    pass


def call(thread, expression, seconds):
    """The unsigned result, or None when the call did not come back."""
    options = lldb.SBExpressionOptions()
    options.SetTryAllThreads(False)
    options.SetStopOthers(True)
    options.SetIgnoreBreakpoints(True)
    options.SetUnwindOnError(True)
    options.SetTimeoutInMicroSeconds(int(seconds * 1000000))
    options.SetLanguage(lldb.eLanguageTypeC_plus_plus)
    value = thread.GetFrameAtIndex(0).EvaluateExpression(f"(unsigned long){expression}", options)
    return value.GetValueAsUnsigned() if value.GetError().Success() else None


def word_of(target, name):
    process, error = target.GetProcess(), lldb.SBError()
    address = target.FindFirstGlobalVariable(name).GetLoadAddress()
    word = process.ReadPointerFromMemory(address, error)
    if error.Fail() or not word:
        raise Failure(f"cannot read {name}")
    return word


def ask(target, thread, function, variable):
    reply = call(thread, f"((const char *(*)(void *)){function})((void *){word_of(target, variable):#x})",
                 30)
    if reply is None:
        raise Failure(f"{function} did not come back")
    text = target.GetProcess().ReadCStringFromMemory(reply, 1 << 20, lldb.SBError())
    answer = json.loads(text)
    if answer["status"] != "ok":
        raise Failure(f"{function}: {text}")
    return answer


def thread_standing_by(process):
    for thread in process:
        if any("loupe_test_stand_by" in (frame.GetFunctionName() or "") for frame in thread):
            return thread
    raise Failure("no thread stands by")


def break_at(target, names):
    """At the first of the functions that a loaded library has; at the last, if none has any yet."""
    for name in names:
        breakpoint_ = target.BreakpointCreateByName(name)
        if breakpoint_.GetNumLocations() or name == names[-1]:
            return breakpoint_
        target.BreakpointDelete(breakpoint_.GetID())
    raise Failure("no function to stop at")


def run_to(target, names):
    """Continues until a thread stops at one of the functions."""
    process = target.GetProcess()
    breakpoint_ = break_at(target, names)
    process.Continue()
    target.BreakpointDelete(breakpoint_.GetID())
    for thread in process:
        if thread.GetStopReason() == lldb.eStopReasonBreakpoint:
            return
    raise Failure(f"{' or '.join(names)} was not reached: {process}")


def test(debugger, program, library):
    target = debugger.CreateTarget(program)
    ready = target.BreakpointCreateByName("loupe_test_ready")
    info = lldb.SBLaunchInfo([library])
    info.SetEnvironmentEntries(["MALLOC_ARENA_MAX=1"], True)
    error = lldb.SBError()
    process = target.Launch(info, error)
    if error.Fail():
        raise Failure(f"launch: {error}")
    target.BreakpointDelete(ready.GetID())
    for what, places, control in STOPS:
        run_to(target, places)
        thread = thread_standing_by(process)
        if call(thread, control, 1) is not None:
            raise Failure(f"the lock of {what} is not held")
        for function, variable in QUESTIONS:
            answer = ask(target, thread, function, variable)
            if function == "loupe_retain_cycles" and answer["knots_found"] != 1:
                raise Failure(f"found {answer['knots_found']} knots")
            if function == "loupe_dispose_probe":
                probe = answer["levels"][0] if variable == "loupe_test_owner" else answer
                if probe["skipped"]:
                    raise Failure(f"the probe was not made: {probe['skipped']}")
        print(f"all questions answer while another thread holds {what}")
    process.Kill()


def command(debugger, text, result, _):
    try:
        test(debugger, *shlex.split(text))
        print("PASSED")
    except Failure as failure:
        result.SetError(f"{failure}")


def __lldb_init_module(debugger, _):
    debugger.HandleCommand(f"command script add -f {__name__}.command deadlock")
