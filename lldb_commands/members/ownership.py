"""Whether a C++ object owns an object that it refers to: the CLAIM of a `ref` argument.

Debug info leaves out __weak and __unsafe_unretained: `Peer *` may be either. What tells:

- template arguments keep them in the name of the type: vector<Peer *__weak>;
- the destructor of a type ends what the type owns (destructors.py);
- the runtime knows each weak variable by its address: engines ask it ("unclear").
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import lldb

from . import types
from .destructors import Destructors, Evidence

STRONG, UNCLEAR, MANUAL = "strong", "unclear", "manual"
_NOT_OWNED = ("__weak", "__unsafe_unretained")
_ANY = ("__strong", "__autoreleasing", *_NOT_OWNED)


@dataclass(frozen=True)
class Code:
    """How the code was compiled that destroys an object."""

    arc: Optional[bool]  # None: nothing tells
    is_unoptimised: bool  # each type that has something to destroy has a destructor of its own


def of_object(code: Code) -> str:
    """The claim for an object of which nothing else is known."""
    return UNCLEAR if code.arc is None else STRONG if code.arc else MANUAL


def of_argument(record: lldb.SBType, index: int, code: Code) -> Optional[str]:
    """The claim for an object that is a template argument; None if it is not owned."""
    texts = types.arguments(record)
    return _of_text(texts[index] if index < len(texts) else "", code)


def of_field(record: lldb.SBType, kind: lldb.SBType, offset: int, code: Code,
             destructors: Destructors) -> Optional[str]:
    """The claim for a field at an offset of a record; None if it is not owned."""
    wanted = _bare(kind.GetName() or "")
    claims = {_of_text(text, code) for text in types.arguments(record) if _bare(text) == wanted}
    if len(claims) == 1 and not claims & {MANUAL, UNCLEAR}:
        return claims.pop()
    evidence = destructors.of(record)
    if code.arc is False:
        return _of_manual_field(record, offset, evidence)
    # A lambda has no code of its own that could release, and only ARC's destructors do.
    is_arc = bool(code.arc) or types.is_lambda(record) or \
        "strong" in (evidence.members or {}).values()
    if (evidence.members or {}).get(offset) == "strong":
        return STRONG
    if evidence.members is not None:
        return None if is_arc else UNCLEAR
    is_unoptimised = destructors.is_unoptimised(record) if types.is_lambda(record) else \
        code.is_unoptimised
    return None if is_arc and is_unoptimised and not evidence.is_there else UNCLEAR


def _of_manual_field(record: lldb.SBType, offset: int, evidence: Evidence) -> Optional[str]:
    """Types retain and release by code of their own, as pointer classes do; a lambda has none."""
    if (evidence.members or {}).get(offset) == "strong":
        return STRONG
    return None if types.is_lambda(record) else MANUAL


def _of_text(text: str, code: Code) -> Optional[str]:
    if any(word in text for word in _NOT_OWNED):
        return None
    return STRONG if "__strong" in text else of_object(code)


def _bare(text: str) -> str:
    for word in _ANY:
        text = text.replace(word, "")
    text = text.strip()
    return text[6:].strip() if text.startswith("const ") else text
