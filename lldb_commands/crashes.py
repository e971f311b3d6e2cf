"""The question after a crash in a message to an object: who still points to it?

LLDB calls it at each stop (a stop-hook, `target stop-hook list`). It runs nothing and reads the
frames of a thread that a signal stopped; of every other stop it says nothing.
"""
from __future__ import annotations

import itertools
import re

import lldb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Optional

# What sends a message to its first argument, retains or releases it, in any runtime.
_TAKES_RECEIVER = re.compile(
    r"objc_(msgSend|msg_lookup|retain|release|autorelease|storeStrong|opt_|slot_lookup)|"
    r"_?objc_rootRelease|_?objc_rootRetain|slowMsgLookup|get_imp\b|_Block_(copy|release)")
# What somebody calls when a freed object was sent a message.
_TELLS_OF_ZOMBIE = re.compile(r"___forwarding___|NSZombie|GSLogZombie|doesNotRecognizeSelector:")
_ENDS = re.compile("(__|__GI_)?abort")  # the last by the debug information of glibc
_FOUNDATION = re.compile("libgnustep-base")
_FORWARDS = re.compile("libffi")
_FRAMES = 12  # an abort stands below those of the C library
_LOOKUP = 4  # frames below a message send while it looks for the method
_OF_ALL = "    loupe leaks   (its section Dangling references)\n"
_FAULTS = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGTRAP")


class Offer:
    """A stop-hook."""

    def __init__(self, target: lldb.SBTarget, _arguments: Any, _internal: Any) -> None:
        self._target = target

    def handle_stop(self, exe_ctx: lldb.SBExecutionContext, stream: lldb.SBStream) -> bool:
        try:
            stream.Print(offer(exe_ctx.GetThread()))
        except Exception:  # a stop is no place for an error of ours
            pass
        return True


def offer(thread: lldb.SBThread) -> str:
    """The lines for a stop of a thread; empty for most."""
    if not thread.IsValid() or not _is_crash(thread):
        return ""
    receiver = _receiver(thread.GetFrameAtIndex(0)) if _is_fault(thread) else None
    if receiver is not None:
        return (f"Was the receiver {receiver:#x} freed? Who still points to it:\n"
                f"    strong-refs --incoming {receiver:#x}\n{_OF_ALL}")
    frames = [thread.GetFrameAtIndex(i) for i in range(min(thread.GetNumFrames(), _FRAMES))]
    names = [frame.GetFunctionName() or "" for frame in frames]
    if any(map(_TELLS_OF_ZOMBIE.search, names)) or _was_forwarded(names, frames) or \
            any(map(_TAKES_RECEIVER.match, names[:_LOOKUP])):
        return f"Was the receiver of this message freed? Who still points to freed objects:\n{_OF_ALL}"
    return ""


def _was_forwarded(names: List[str], frames: List[lldb.SBFrame]) -> bool:
    """Whether gnustep-base, whose own functions have no symbols in most systems, ended the program
    while it forwarded a message, which it does by libffi: of a zombie, or of one that nobody knows."""
    end = next((i for i, name in enumerate(names) if _ENDS.fullmatch(name)), len(names))
    files = [frame.GetModule().GetFileSpec().GetFilename() or "" for frame in frames[end + 1:]]
    base = sum(1 for _ in itertools.takewhile(_FOUNDATION.match, files))
    return 0 < base < len(files) and bool(_FORWARDS.match(files[base]))


def _is_crash(thread: lldb.SBThread) -> bool:
    return thread.GetStopReason() in (lldb.eStopReasonSignal, lldb.eStopReasonException)


def _is_fault(thread: lldb.SBThread) -> bool:
    """Whether an instruction faulted, so that registers are those of its function."""
    if thread.GetStopReason() == lldb.eStopReasonException:
        return True
    signals = thread.GetProcess().GetUnixSignals()
    name = signals.GetSignalAsCString(int(thread.GetStopReasonDataAtIndex(0)))
    return name in _FAULTS


def _receiver(frame: lldb.SBFrame) -> Optional[int]:
    if not _TAKES_RECEIVER.match(frame.GetFunctionName() or ""):
        return None
    argument = frame.FindRegister("arg1")
    return argument.GetValueAsUnsigned() or None if argument.IsValid() else None
