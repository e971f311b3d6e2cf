"""Runs inside lldb: the command `ask-seed`, which asks for the cycles of the frame's variable seed.

lldb 16 expands no expressions in backquotes for native commands.
"""
import lldb


def ask_seed(debugger, _command, context, result, _):
    seed = context.frame.FindVariable("seed").GetValueAsUnsigned()
    answer = lldb.SBCommandReturnObject()
    command = f"loupe-engine retain-cycles --address {seed:#x}"
    debugger.GetCommandInterpreter().HandleCommand(command, answer)
    result.AppendMessage((answer.GetOutput() or answer.GetError()).strip())


def __lldb_init_module(debugger, _):
    debugger.HandleCommand("command script add -o -f ask_seed.ask_seed ask-seed")
