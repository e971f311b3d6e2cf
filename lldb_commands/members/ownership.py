"""Whether a C++ object owns an object that it refers to: the CLAIM of a `ref` directive.

Debug info leaves out __weak and __unsafe_unretained: `Peer *` may be either. What tells:

- template arguments keep them in the name of the type: vector<Peer *__weak>;
- the destructor of a type ends what the type owns (destructors.py);
- the runtime knows each weak variable by its address: engines ask it ("member", "unclear").
"""
from __future__ import annotations

from typing import Optional

import lldb

from . import types
from .destructors import Destructors

STRONG, MEMBER, UNCLEAR, MANUAL = "strong", "member", "unclear", "manual"
_NOT_OWNED = ("__weak", "__unsafe_unretained")
_ANY = ("__strong", "__autoreleasing", *_NOT_OWNED)


def of_argument(record: lldb.SBType, index: int, arc: bool) -> Optional[str]:
    """The claim for an object that is a template argument; None if it is not owned."""
    texts = types.arguments(record)
    return _of_text(texts[index] if index < len(texts) else "", arc)


def of_field(record: lldb.SBType, kind: lldb.SBType, offset: int, arc: bool,
             destructors: Destructors) -> Optional[str]:
    """The claim for a field at an offset of a record; None if it is not owned."""
    if not arc:
        return MANUAL
    wanted = _bare(kind.GetName() or "")
    claims = {_of_text(text, arc) for text in types.arguments(record) if _bare(text) == wanted}
    if len(claims) == 1:
        return claims.pop()
    evidence = destructors.of(record)
    if evidence.members is not None:
        return STRONG if evidence.members.get(offset) == "strong" else None
    if evidence.is_destroyed is None:
        return UNCLEAR
    return MEMBER if evidence.is_destroyed else None


def _of_text(text: str, arc: bool) -> Optional[str]:
    if any(word in text for word in _NOT_OWNED):
        return None
    return STRONG if arc else MANUAL


def _bare(text: str) -> str:
    for word in _ANY:
        text = text.replace(word, "")
    text = text.strip()
    return text[6:].strip() if text.startswith("const ") else text
