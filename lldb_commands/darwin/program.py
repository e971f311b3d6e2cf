"""The program of a live process of Apple's systems, whose file says what may be loaded into it."""
from __future__ import annotations

import os
from typing import Optional, Tuple

from ..session.context import Context
from . import loading


def of(context: Context) -> Optional[Tuple[str, str]]:
    """Its path and its processor; None: another system, or a core."""
    triple = context.target.GetTriple() or ""
    if "-apple-" not in triple or context.is_core:
        return None
    file = context.target.GetExecutable()
    return (os.path.join(file.GetDirectory() or "", file.GetFilename() or ""),
            loading.arch_of(triple))


def why_not_inserted(context: Context) -> str:
    """To go on with where a library of ours is missing in the process; "": nothing is known of it."""
    program = of(context)
    why = loading.not_inserted(*program) if program else None
    return f"; {why}" if why else ""
