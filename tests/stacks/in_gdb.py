"""Run by gdb with a plan in $PLAN: at each stop the stacks of all threads by gdb and by
walk_process; prints what differs, and at the end how many were compared."""
import json
import os
import subprocess

import gdb  # pylint: disable=import-error

PLAN = json.loads(os.environ["PLAN"])
NAMES = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
         *(f"r{number}" for number in range(8, 16)), "rip"]
compared = 0


def frames_of_gdb():
    frame, found = gdb.newest_frame(), []
    while frame and frame.is_valid():
        # Of inlined functions and of calls that left no frame debug information tells, no stack does.
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            found.append(f"{frame.pc():x}")
        frame = frame.older()
    return found


def registers():
    frame = gdb.newest_frame()
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return " ".join(f"{number}={int(frame.read_register(name)) & (1 << 64) - 1:x}"
                    for number, name in enumerate(NAMES))


def compare(where):
    global compared
    process = gdb.selected_inferior()
    chosen = gdb.selected_thread()
    theirs, lines = [], []
    for thread in sorted(process.threads(), key=lambda thread: thread.num):
        thread.switch()
        theirs.append(frames_of_gdb())
        lines.append(registers())
    chosen.switch()
    done = subprocess.run([PLAN["walk"], str(process.pid)], input="\n".join(lines) + "\n",
                          capture_output=True, text=True, check=True)
    for expected, line in zip(theirs, done.stdout.splitlines()):
        *ours, end = line.split()
        compared += 1
        if ours != expected or end != "outermost":
            print(f"DIFFERS at {where}: {end}\n  gdb  {' '.join(expected)}\n  ours {' '.join(ours)}")
            gdb.execute("bt")


def step(count, where):
    for number in range(count):
        gdb.execute("stepi", to_string=True)
        compare(f"{where}, {number + 1} steps on")


for line in ("set confirm off", "set pagination off", "set backtrace past-main on",
             "set backtrace past-entry on", "set debuginfod enabled off",
             "set breakpoint pending on", "set startup-with-shell off", "set print inferior-events off"):
    gdb.execute(line)
for signal in ("SIGALRM", "SIGCHLD", "SIGUSR1", "SIGURG"):
    gdb.execute(f"handle {signal} nostop noprint pass", to_string=True)
gdb.execute(f"break {PLAN['stop']}", to_string=True)
gdb.execute("run " + " ".join(PLAN.get("arguments", [])) + " > /dev/null 2>&1", to_string=True)
if gdb.selected_inferior().pid:
    gdb.execute("set scheduler-locking step")
if not gdb.selected_inferior().pid:
    print("DID NOT STOP")
else:
    compare(PLAN["stop"])
    step(PLAN.get("steps", 0), PLAN["stop"])
    for number in range(1, PLAN.get("stops", 1)):
        gdb.execute("continue", to_string=True)
        if not gdb.selected_inferior().pid:
            break
        compare(f"{PLAN['stop']}, the stop {number + 1}")
        step(PLAN.get("steps", 0), f"{PLAN['stop']}, the stop {number + 1}")
    for name in PLAN.get("then", []):
        gdb.execute(f"tbreak {name}", to_string=True)
        gdb.execute("continue", to_string=True)
        if gdb.selected_inferior().pid:
            compare(name)
            step(PLAN.get("then_steps", 0), name)
    if gdb.selected_inferior().pid:
        gdb.execute("kill", to_string=True)
print(f"COMPARED {compared}")
