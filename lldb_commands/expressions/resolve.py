"""From what was typed to an address.

In this order: a literal address; a path through objects (paths.py); a variable path; an expression.
Only the last can run something in the process.

lldb formats a block pointer as its invoke function and gives 0 for its value, so a pointer is
always taken from the data of the value. Outside Apple's runtime lldb cannot send messages (a call
can come back with 0 instead of an error), so an expression that sends one is refused there, never
trusted.
"""
from __future__ import annotations

import re
from typing import Callable, Optional

import lldb

from ..errors import LoupeError, is_nil
from ..names import class_table
from ..names.block_debug_info import is_block_pointer, is_reference
from ..names.class_symbols import symbols_of_class
from ..names.method_names import as_method
from ..protocol import Answer
from ..session import only_memory
from ..session.context import Context
from . import paths
from .message_sends import dotted_paths, has_message_send
from .problems import first_line

_LITERAL = re.compile(r"0[xX][0-9a-fA-F]+|[0-9]+")
_NO_FRAME = "there is no frame here, so no self: give an address, or choose one (thread select)"
_SELF = re.compile(r"self\b")
_CALLERS = 256  # frames that are looked at for a self
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$.]*")


def resolve(expression: str, context: Context, describe: Callable[[int], Answer]) -> int:
    """The address that expression leads to; `self` if it is empty. nil is a LoupeError.

    describe is what paths.follow() needs.
    """
    text = expression or "self"
    if _LITERAL.fullmatch(text):
        return _not_nil(_literal(text, context), text)
    path = paths.parse(text)
    start = _start_of(path, context) if path else None
    if path is not None and start is not None:
        return _not_nil(paths.follow(path, start, describe), text)
    value = variable(text, context)
    if value is not None:
        return _not_nil(address_of(value, text), text)
    if _SELF.match(text) and variable("self", context) is None:
        raise LoupeError(_no_self(context))
    return _not_nil(_evaluate(text, context), text)


def _literal(text: str, context: Context) -> int:
    address = int(text, 16 if text[:2] in ("0x", "0X") else 10)
    bits = 8 * context.pointer_size
    if address >> bits:
        raise LoupeError(f"{text} is not an address: it has more than the {bits} bits of this program's")
    return address


def _no_self(context: Context) -> str:
    """Why there is no self, and which frame has one."""
    frame, name_one = context.frame, "name an object, a variable or an address"
    if not frame.IsValid():
        return _NO_FRAME
    function = as_method(frame.GetDisplayFunctionName() or "")
    reason = "there is no self in this frame"
    if function and not frame.GetLineEntry().IsValid():
        reason = f"{function} has no debug info, which would say where self is"
    elif "_block_invoke" in function or "invocation function for block" in function:
        reason = "this block does not capture self"
    elif function and function[0] not in "-+":
        kind = "C++" if "::" in function or variable("this", context) is not None else "C"
        reason = f"{function} is a {kind} function, which has no self"
    for number in range(frame.GetFrameID() + 1, min(context.thread.GetNumFrames(), _CALLERS)):
        caller = context.thread.GetFrameAtIndex(number)
        value = caller.FindVariable("self")
        if value.IsValid() and is_reference(value.GetType()):
            return (f"{reason}: {name_one}, or go to "
                    f"{as_method(caller.GetDisplayFunctionName() or '?')} (frame select {number})")
    return f"{reason}: {name_one}"


def _start_of(path: paths.ObjectPath, context: Context) -> Optional[int]:
    """Where a path begins, if at an object or a block. None: it is for lldb, as C structs are."""
    if _LITERAL.fullmatch(path.base):
        return _literal(path.base, context)
    value = None if path.base[0] == "$" else variable(path.base, context)
    if value is None:
        word = _untyped(path.base, context)
        return None if word is None else _not_nil(word, path.base)
    if not is_reference(value.GetType()):
        return None
    # Apple's runtime lldb knows, and reads a path without a question to an engine.
    if context.is_darwin and not is_block_pointer(value.GetType()):
        return None
    return _not_nil(address_of(value, path.base), path.base)


def _untyped(name: str, context: Context) -> Optional[int]:
    """What a register ($rdi) holds, or a variable that only the symbol table knows."""
    if name.startswith("$"):
        register = context.frame.FindRegister(name[1:]) if context.frame.IsValid() else None
        return word_of(register) if register is not None and register.IsValid() else None
    if context.target.FindGlobalVariables(name, 1).GetSize():
        return None
    places = {match.GetSymbol().GetStartAddress().GetLoadAddress(context.target)
              for match in context.target.FindSymbols(name, lldb.eSymbolTypeData)}
    places.discard(lldb.LLDB_INVALID_ADDRESS)
    return context.read_pointer(places.pop()) if len(places) == 1 else None


def variable(text: str, context: Context) -> Optional[lldb.SBValue]:
    """The variable, ivar or member at a path such as self->_items[2], or None."""
    if not context.frame.IsValid():
        return None
    value = context.frame.GetValueForVariablePath(text)
    return value if value.IsValid() and value.GetError().Success() else None


def is_name(text: str) -> bool:
    """Whether text may be the name of a class, or of a variable."""
    return _IDENTIFIER.fullmatch(text) is not None


def class_address(name: str, context: Context) -> Optional[int]:
    """The address of a class by its name, from its linker symbol or the runtime's table, or None."""
    if not is_name(name):
        return None
    for match in symbols_of_class(name, context.target):
        address = match.GetSymbol().GetStartAddress().GetLoadAddress(context.target)
        if address != lldb.LLDB_INVALID_ADDRESS:
            return int(address)
    return class_table.class_named(name, context)


def hides_class(value: Optional[lldb.SBValue]) -> bool:
    """Whether a name means this variable rather than a class of that name: it may be an object."""
    if value is None:
        return False
    kind = value.GetType().GetCanonicalType()
    return kind.IsPointerType() or is_reference(kind) or \
        kind.GetByteSize() == value.GetTarget().GetAddressByteSize()


def address_of(value: lldb.SBValue, text: str) -> int:
    """The address that a value holds; for a struct or an object itself, where it stands."""
    value = value.GetNonSyntheticValue()
    kind = value.GetType().GetCanonicalType()
    size = value.GetByteSize()
    if kind.GetTypeClass() & (lldb.eTypeClassStruct | lldb.eTypeClassClass | lldb.eTypeClassUnion
                              | lldb.eTypeClassObjCObject | lldb.eTypeClassObjCInterface):
        where = value.GetLoadAddress()
        if where != lldb.LLDB_INVALID_ADDRESS:
            return int(where)
    pointer_size = value.GetTarget().GetAddressByteSize()
    is_float = kind.GetBasicType() in (lldb.eBasicTypeFloat, lldb.eBasicTypeDouble,
                                       lldb.eBasicTypeLongDouble, lldb.eBasicTypeHalf)
    if size != pointer_size or is_float:
        raise LoupeError(f"{text} is {_article(value.GetDisplayTypeName())}, not an object: "
                         "name an object, a block or an address")
    word = word_of(value)
    if word is None:
        raise LoupeError(f"{text} has no value here (optimised away?): give its address")
    return word


def word_of(value: lldb.SBValue) -> Optional[int]:
    """The pointer that a value is, whatever lldb's formatters make of it. None: not known here."""
    error = lldb.SBError()
    data = value.GetNonSyntheticValue().GetData()
    is_long = value.GetTarget().GetAddressByteSize() == 8
    word = data.GetUnsignedInt64(error, 0) if is_long else data.GetUnsignedInt32(error, 0)
    return int(word) if error.Success() else None


def _article(type_name: str) -> str:
    return ("an " if type_name[:1] in "aeiouAEIOU" else "a ") + type_name


def _not_nil(address: int, text: str) -> int:
    if address == 0:
        raise is_nil(text)
    return address


# ---- Expressions ----


def _evaluate(text: str, context: Context) -> int:
    if is_name(text) and class_address(text, context) is not None:
        raise LoupeError(f"{text} is a class: name an object (ivar-layout takes classes too)")
    word = _untyped(text, context) if _IDENTIFIER.fullmatch(text) else None
    if word is not None:
        return word
    if not context.is_darwin:
        refuse_message_sends(text, context)
    only_memory.refuse(f"evaluating {text}", "give a variable of this frame, a path from one, or an address")
    value = context.evaluate(text, cplusplus=not context.is_darwin)
    if not value.GetError().Success():
        knows_names = context.frame.IsValid() and context.frame.GetLineEntry().IsValid()
        hint = "" if knows_names else "; there is no debug info here, so give an address"
        raise LoupeError(f"cannot evaluate {text}: {first_line(value.GetError())}{hint}")
    return address_of(value, text)


def refuse_message_sends(text: str, context: Context) -> None:
    """Raises LoupeError if the expression would send a message."""
    if has_message_send(text):
        raise LoupeError("message sends cannot be evaluated with this runtime (lldb would answer "
                         f"nil or worse): use variables and ivars instead of {text}")
    for path, member in dotted_paths(text):
        base = variable(path, context)
        if base is not None and is_reference(base.GetType()):
            raise LoupeError(f"{path}.{member} calls a method, which cannot be done with this "
                             f"runtime: use the ivar, {path}->_{member}")
