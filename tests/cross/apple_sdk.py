"""Apple's headers and lists of symbols as an SDK, from where they are found on this machine.

That is the SDK itself (MacOSX.sdk), or an unpacked Zig, which brings its headers sorted by what has them:
lib/libc/include/any-macos-any, any-macos.13-any, x86_64-macos.13-none and so on. What Zig leaves out is
Loupe's own. Nothing of it becomes a part of Loupe.
"""
import pathlib
import re
import shutil

OWN = pathlib.Path(__file__).resolve().parent / "darwin_sdk"
# Zig has no frameworks and no C++ here, of the kernel's interface what its own library calls, and of
# the libraries one.
LEFT_OUT = ("usr/include/mach/mach_vm.h", "usr/include/mach-o/dyld_images.h", "usr/include/zlib.h",
            "usr/include/sqlite3.h", "usr/lib/libc++.tbd", "usr/lib/libz.tbd", "usr/lib/libsqlite3.tbd",
            "System")
MISSING = "LOUPE_APPLE_SDK names neither Apple's SDK nor an unpacked Zig"


def zig_headers(headers, release, arch):
    cpu = "aarch64" if arch.startswith("arm64") else arch
    return [headers / "any-macos-any", headers / f"any-macos.{release}-any",
            headers / f"{cpu}-macos.{release}-none"]


def newest_release(headers):
    found = (re.fullmatch(r"any-macos\.(\d+)-any", folder.name) for folder in headers.iterdir())
    return max(int(match[1]) for match in found if match)


def merge(zig, arch, sdk):
    """The newest release that it has, as one folder."""
    headers = zig / "lib/libc/include"
    release = newest_release(headers)
    shutil.rmtree(sdk, ignore_errors=True)
    for folder in filter(pathlib.Path.is_dir, zig_headers(headers, release, arch)):
        shutil.copytree(folder, sdk / "usr/include", dirs_exist_ok=True)
    (sdk / "usr/lib").mkdir()
    shutil.copy(zig / f"lib/libc/darwin/libSystem.{release}.tbd", sdk / "usr/lib/libSystem.tbd")
    for name in LEFT_OUT:
        if (OWN / name).is_dir():
            shutil.copytree(OWN / name, sdk / name)
        elif not (sdk / name).exists():
            shutil.copy(OWN / name, sdk / name)
    return sdk


def prepared(folder, arch, work):
    """The SDK for programs of arch; None where the folder holds none."""
    if not folder:
        return None
    folder = pathlib.Path(folder)
    if (folder / "usr/include/stdio.h").exists():
        return folder
    for zig in [folder, *folder.glob("*")]:
        if (zig / "lib/libc/include/any-macos-any").is_dir():
            return merge(zig, arch, pathlib.Path(work))
    return None
