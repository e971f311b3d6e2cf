"""Compiles and links the helper for Darwin, and checks what the result exports and imports.

usage: cross_build.py CLANG NM OBJDUMP LD64 SOURCE_DIR WORK_DIR TARGET
Exits with 77 when a tool is missing or cannot make code for the target.
"""
import pathlib
import re
import subprocess
import sys

LIBRARIES = {"/usr/lib/libSystem.B.dylib"}
FLAGS = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wmissing-prototypes",
         "-Wstrict-prototypes", "-Werror", "-fvisibility=hidden", "-fno-stack-protector",
         "-D_GNU_SOURCE", "-D_DARWIN_C_SOURCE", "-nostdlibinc"]
ELF_ONLY = re.compile(r"_linux|_elf|proc_")
BYTES_FLAGS = ["-ffreestanding", "-fno-builtin"]


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True)


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def check(done, what):
    if done.returncode:
        print(f"{what} failed:\n{done.stdout}{done.stderr}")
        sys.exit(1)
    if done.stderr:
        print(done.stderr)
    return done.stdout


def sources(source_dir):
    # Of the readers what the helper has of them: loupe_readers.
    core = [path for folder in ("core", "readers/image", "readers/linux")
            for path in sorted((source_dir / folder).rglob("*.c"))]
    helper = [path for path in sorted((source_dir / "helper").rglob("*.c"))
              if not ELF_ONLY.search(path.stem)]
    stacks = [path for path in sorted((source_dir / "stacks").rglob("*.c"))
              if not ELF_ONLY.search(path.stem) and path.parent.name != "stalls"]
    return core + helper + stacks


def compile_all(clang, sdk, source_dir, work_dir, target, *flags):
    command = [clang, f"--target={target}", *FLAGS, *flags, "-isystem", sdk / "usr/include",
               "-I", source_dir / "core", "-I", source_dir / "readers",
               "-I", source_dir / "helper", "-I", source_dir / "stacks"]
    work_dir.mkdir(parents=True, exist_ok=True)
    objects = []
    for path in sources(source_dir):
        extra = BYTES_FLAGS if path.name == "bytes.c" else []
        objects.append(work_dir / (path.parent.name + "_" + path.stem + ".o"))
        check(run(*command, *extra, "-c", path, "-o", objects[-1]), f"compiling {path.name}")
    return objects


def imported(nm, objects):
    """The symbols that no object defines."""
    def names(option):
        return set(check(run(nm, "-j", option, *objects), "llvm-nm").split())
    return {name for name in names("--undefined-only") if not name.endswith(":")} \
        - names("--defined-only")


def offered(sdk):
    """The allow-list: what our text form of libSystem exports."""
    exports = (sdk / "usr/lib/libSystem.tbd").read_text()
    return set(re.search(r"symbols:\s*\[(.*?)\]", exports, re.S)[1].replace(",", " ").split())


def build(clang, nm, ld64, source_dir, work_dir, target):
    sdk = source_dir / "tests" / "cross" / "darwin_sdk"
    objects = compile_all(clang, sdk, source_dir, work_dir, target)
    for name in sorted(imported(nm, objects) - offered(sdk)):
        print(f"called but not on the list: {name}")
        sys.exit(1)
    if target.startswith("arm64e"):
        # lld knows no signed pointers in data (ARM64_RELOC_AUTHENTICATED_POINTER), so what is
        # linked is the same code without them.
        objects = compile_all(clang, sdk, source_dir, work_dir / "unsigned", target,
                              "-fno-ptrauth-calls")
    library = work_dir / "libloupe_helper.dylib"
    arch, version = re.match(r"(\w+)-apple-macosx([\d.]+)", target).groups()
    check(run(ld64, "-dylib", "-arch", arch, "-platform_version", "macos", version, version,
              "-syslibroot", sdk, "-install_name", "@rpath/libloupe_helper.dylib",
              "-fatal_warnings", *objects, "-lSystem", "-o", library), "linking")
    return library


def exported(nm, library):
    listing = check(run(nm, "--extern-only", "--defined-only", library), "llvm-nm")
    return {line.split()[-1].removeprefix("_") for line in listing.splitlines() if line.strip()}


def declared(header):
    return set(re.findall(r"^LOUPE_HELPER_API\b[^;(]*?(\w+)\(", header.read_text(), re.M))


def faults(nm, objdump, source_dir, library):
    api = declared(source_dir / "helper" / "loupe_helper.h")
    names = exported(nm, library)
    for name in sorted(names - api):
        yield f"exported beside the API: {name}"
    for name in sorted(api - names):
        yield f"declared but not exported: {name}"
    linked = check(run(objdump, "--macho", "--dylibs-used", library), "llvm-objdump")
    used = {line.split()[0] for line in linked.splitlines()[1:] if line.strip()}
    for name in sorted(used - LIBRARIES - {"@rpath/libloupe_helper.dylib"}):
        yield f"links to {name}"
    commands = check(run(objdump, "--macho", "--private-headers", library), "llvm-objdump")
    for section in ("__mod_init_func", "__init_offsets", "__objc_imageinfo", "__thread_vars"):
        if section in commands:
            yield f"has a section {section}"


def main():
    clang, nm, objdump, ld64, source_dir, work_dir, target = sys.argv[1:]
    for tool, name in ((clang, "clang"), (nm, "llvm-nm"), (objdump, "llvm-objdump"),
                       (ld64, "ld64.lld")):
        if not tool or tool.endswith("NOTFOUND"):
            skip(f"{name} is not installed")
    source_dir, work_dir = pathlib.Path(source_dir), pathlib.Path(work_dir)
    work_dir.mkdir(parents=True, exist_ok=True)
    probe = work_dir / "probe.c"
    probe.write_text("int probe;\n")
    if run(clang, f"--target={target}", "-c", probe, "-o", work_dir / "probe.o").returncode:
        skip(f"{clang} makes no code for {target}")
    library = build(clang, nm, ld64, source_dir, work_dir, target)
    found = list(faults(nm, objdump, source_dir, library))
    for fault in found:
        print(fault)
    print(f"{library.name} for {target}: {library.stat().st_size} bytes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
