"""What only lldb knows of a process: where the asking thread stopped, the registers of all threads,
memory of lldb's own.

The helper cannot ask for the registers of other threads than its own. What they are good for, and
what else of the process is looked at, is known to the core (core/scene).
"""
from __future__ import annotations

import dataclasses
from typing import Iterator

import lldb

from ..session.context import Context
from . import arguments
from .question import Question

_PAGE = 4096
# By the names that lldb has for them on some architecture. Asked for one by one, as plain numbers: to
# list a frame's registers takes seconds where lldb knows no Objective-C runtime.
_REGISTERS = ("rsp", "esp", "sp", "fs_base", "tpidr", "rax", "rbx", "rcx", "rdx", "rdi", "rsi",
              "rbp", *(f"r{number}" for number in range(16)),
              *(f"x{number}" for number in range(31)), "fp", "lr", "eax", "ebx", "ecx", "edx",
              "edi", "esi", "ebp")


def told(question: Question, context: Context, for_helper: bool) -> Question:
    """The question with the arguments that say it."""
    known = [arguments.stack_pointer(context.stack_pointer) if context.stack_pointer else ""]
    if question.looks_for_roots and (for_helper or context.has_evaluated):
        known.append(_memory(context))
    if question.looks_for_roots and for_helper:
        known += [text for thread in context.process for text in _registers(thread)]
    return dataclasses.replace(question,
                               arguments=arguments.joined([*known, question.arguments]))


def _registers(thread: lldb.SBThread) -> Iterator[str]:
    frame = thread.GetFrameAtIndex(0)
    for name in _REGISTERS:
        value = frame.FindRegister(name)
        value.SetPreferDynamicValue(lldb.eNoDynamicValues)  # else lldb looks for a runtime each time
        if value.IsValid():
            yield arguments.register(thread.GetThreadID(), name, value.GetValueAsUnsigned(0))


def _memory(context: Context) -> str:
    """The page in which lldb keeps values of expressions, where one was evaluated or will be: the
    address of the object that is asked about stands there too. lldb takes new memory from it.
    """
    error, permissions = lldb.SBError(), lldb.ePermissionsReadable | lldb.ePermissionsWritable
    address = context.process.AllocateMemory(8, permissions, error)
    if not error.Success() or address == lldb.LLDB_INVALID_ADDRESS:
        return ""
    context.process.DeallocateMemory(address)
    return arguments.debugger(address // _PAGE * _PAGE, (address // _PAGE + 1) * _PAGE)
