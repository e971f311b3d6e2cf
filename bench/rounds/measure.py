"""lldb's part of bench/rounds: what rings cost that only debug info tells of, by their length.

    loupe-measure-rounds PROGRAM LENGTH...
"""
import json
import os
import shlex
import tempfile
import time

import lldb

READY = "loupe_fixture_ready"
KINDS = (("plain ivars", "cars"), ("std::vector", "seed"), ("vector and ivar in turn", "train"),
         ("vector and array in turn", "crates"))
ENGINES = ("memory", "helper")
LONGEST = 300  # seconds that a question may take


def run(debugger, line):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, result)
    if not result.Succeeded():
        raise RuntimeError(f"{line}: {result.GetError()}")


def ask(debugger, engine, seed):
    """Seconds, and the answer."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "answer.json")
        started = time.perf_counter()
        run(debugger, f"retain-cycles --engine {engine} -t {LONGEST} --json -o {shlex.quote(path)} {seed}")
        spent = time.perf_counter() - started
        with open(path, encoding="utf-8") as file:
            return spent, json.load(file)


def measure(debugger, command, exe_ctx, result, _internal):
    program, *lengths = shlex.split(command)
    debugger.SetAsync(False)
    print(f"{'length':>7} {'engine':8}{'links by':26}{'seconds':>9}{'of plain':>10}{'objects':>9}"
          f"{'status':>12}")
    for length in lengths:
        run(debugger, f"target create {shlex.quote(program)}")
        run(debugger, f"breakpoint set --name {READY}")
        run(debugger, f"process launch --stdout /dev/null -- {length}")
        run(debugger, "up")
        for engine in ENGINES:
            ask(debugger, engine, "called")  # what is done once: types, plans, loading the helper
            ask(debugger, engine, "cars")
            plain = 0.0
            for name, seed in KINDS:
                spent, answer = ask(debugger, engine, seed)
                plain = plain or spent
                print(f"{length:>7} {engine:8}{name:26}{spent:9.3f}{spent / plain:9.1f}x"
                      f"{answer['stats']['objects']:9}{answer['status']:>12}", flush=True)
        run(debugger, "process kill")


def __lldb_init_module(debugger, _internal):
    debugger.HandleCommand("command script add -o -f measure.measure loupe-measure-rounds")
