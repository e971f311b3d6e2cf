"""Why a process of Apple's systems takes no library of ours, and what to do about it.

Who decides is the loader with the kernel: by the processor and the platform that a library is built
for, by its signature, and by what the program was signed with. docs/xcode.md tells the same at length.
"""
from __future__ import annotations

import re
from typing import List, Optional, Tuple

from . import signatures

_ANY_LIBRARY = "com.apple.security.cs.disable-library-validation"
_ANY_VARIABLE = "com.apple.security.cs.allow-dyld-environment-variables"
_TAGGED_MEMORY = "com.apple.security.hardened-process.checked-allocations"
_FROM_OUTSIDE = "use --engine memory"
_PROTECTED = ("System Integrity Protection: DYLD_INSERT_LIBRARIES is dropped and nothing can be loaded "
              "into programs of the system;")
_SYSTEM_FOLDERS = ("/System/", "/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/libexec/")

# What dyld and the kernel say, in small letters, and what it means. The first that fits.
_REASONS: Tuple[Tuple[str, str], ...] = (
    (r"incompatible architecture|missing compatible architecture|wrong architecture",
     "the library is not built for this program's processor: build Loupe with "
     "-DCMAKE_OSX_ARCHITECTURES={needed}"),
    (r"incompatible platform|not built for platform",
     "the library is built for another system: in an app for iOS or a simulator link the helper by "
     "the Swift package (docs/xcode.md)"),
    (r"different team ids",
     "library validation: the program takes libraries of its own team only. Sign the library as the "
     f"program is (codesign -f -s IDENTITY LIBRARY), or sign a build for debugging with {_ANY_LIBRARY}"),
    (r"platform binary",
     f"System Integrity Protection lets nothing be loaded into programs of the system: {_FROM_OUTSIDE}"),
    (r"code signature|no cdhash|unsigned|not signed|signature invalid",
     "its signature is missing or not taken: sign it (codesign -f -s - LIBRARY; on a device with the "
     "app's team)"),
    (r"disallowed by system policy",
     "macOS holds it back as downloaded from elsewhere: xattr -d com.apple.quarantine LIBRARY"),
    (r"sandbox blocked",
     "the program's sandbox does not let it read the file: copy the library into the app, beside its "
     "frameworks"),
    (r"no such file|image not found",
     "the program sees no such file: on a device the helper has to be part of the app (docs/xcode.md)"),
)


def advice(why: str) -> Optional[str]:
    """What to do about a refusal of the loader; None: it says nothing known."""
    text = why.lower()
    for pattern, meaning in _REASONS:
        if re.search(pattern, text):
            needed = re.search(r"need '([\w,]+)'", why)
            return meaning.format(needed=needed[1].split(",")[0] if needed else "ARCH")
    return None


def _slice_of(path: str, arch: str) -> Optional[signatures.Slice]:
    found = signatures.slices(path)
    same = [part for part in found if part.arch == arch]
    return same[0] if same else found[0] if len(found) == 1 else None


def arch_of(triple: str) -> str:
    """The processor of lldb's triple, as files name it."""
    arch = triple.split("-")[0]
    return "arm64" if arch == "aarch64" else arch


def signed_as(path: str, arch: str) -> str:
    """How a program is signed, in words; "": nothing is known of it."""
    part = _slice_of(path, arch)
    if part is None:
        return ""
    signature = part.signature
    if signature is None:
        return f"{part.arch}, not signed"
    words = [part.arch, f"signed by team {signature.team}" if signature.team else
             "signed ad hoc" if signature.is_ad_hoc else "signed without a team"]
    words += ["hardened runtime"] if signature.is_hardened else []
    words += ["library validation"] if _validates(signature) else []
    words += ["restricted"] if signature.is_restricted else []
    return ", ".join(words)


def _validates(signature: signatures.Signature) -> bool:
    return (signature.validates_libraries or signature.is_hardened) and \
        not signature.has(_ANY_LIBRARY)


def obstacles(program: str, arch: str, library: Optional[str]) -> List[str]:
    """What will keep the library from being loaded into the program, and by which means."""
    found: List[str] = []
    if library is not None:
        built = [part.arch for part in signatures.slices(library)]
        if built and arch not in built:
            found.append(f"{library} is built for {', '.join(built)}, the program for {arch}: build "
                         f"Loupe with -DCMAKE_OSX_ARCHITECTURES={arch}")
    part = _slice_of(program, arch)
    signature = part.signature if part else None
    if _is_of_system(program, signature):
        found.append(f"{_PROTECTED} {_FROM_OUTSIDE}")
    elif signature:
        found += _of_signature(signature, library, arch)
    return found


def not_inserted(program: str, arch: str) -> Optional[str]:
    """Why DYLD_INSERT_LIBRARIES does nothing for the program; None: its signature does not say so."""
    part = _slice_of(program, arch)
    signature = part.signature if part else None
    if _is_of_system(program, signature):
        return f"{_PROTECTED} {_FROM_OUTSIDE}"
    return _dropped(signature) if signature else None


def _is_of_system(program: str, signature: Optional[signatures.Signature]) -> bool:
    return program.startswith(_SYSTEM_FOLDERS) or bool(signature and signature.is_of_system)


def _dropped(signature: signatures.Signature) -> Optional[str]:
    if (signature.is_hardened or signature.is_restricted) and not signature.has(_ANY_VARIABLE):
        return ("DYLD_INSERT_LIBRARIES is dropped when it is started: sign a build for debugging "
                f"with {_ANY_VARIABLE}")
    return None


def _of_signature(signature: signatures.Signature, library: Optional[str], arch: str) -> List[str]:
    dropped = _dropped(signature)
    found = [dropped] if dropped else []
    if signature.has(_TAGGED_MEMORY):
        found.append("its memory has hardware tags where the processor has them, and a look at it from "
                     f"inside may end it: {_FROM_OUTSIDE}")
    part = _slice_of(library, arch) if library is not None else None
    ours = part.signature.team if part and part.signature else ""
    if _validates(signature) and (not ours or ours != signature.team):
        whose = f"team {signature.team}" if signature.team else "its own team"
        found.append(f"it loads libraries of {whose} only (library validation): sign the library so "
                     f"(codesign -f -s IDENTITY LIBRARY), or a build for debugging with {_ANY_LIBRARY}")
    return found
