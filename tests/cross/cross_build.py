"""Builds Loupe for Darwin by its own CMake files, and checks what the libraries export and import.

Exits with 77 when a tool is missing.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

import apple_sdk

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
OWN_SDK = apple_sdk.OWN
SYSTEM = "/usr/lib/libSystem.B.dylib"
# What every Mac has of others, too; the tool unpacks by the one and writes by the other.
OF_TOOL = {"/usr/lib/libz.1.dylib", "/usr/lib/libsqlite3.dylib"}
# Where each library is, what declares its functions, and what else it exports.
LIBRARIES = {
    "helper/libloupe_helper.dylib": ("helper/loupe_helper.h", set()),
    "watch/libloupe_watch.dylib": ("watch/loupe_watch.h", set()),
    "stacks/stalls/libloupe_stalls.dylib": ("stacks/stalls/loupe_stalls.h", set()),
    "testing/libloupe_testing.dylib": ("testing/loupe_testing.h", set()),
    "record/libloupe_record.dylib": (None, {"_loupe_record_table", "_loupe_record_release"}),
}
# What runs while other threads are held, or in malloc(), calls nothing that takes a lock: no
# allocation, no streams, no loader.
KERNEL = set("""___error _clock_gettime _close _getpid _mach_task_self_ _open _pthread_self _unlink
    _vm_allocate _vm_deallocate _vm_page_size _vm_protect _vm_read_overwrite _vm_region_recurse_64
    _task_info _write dyld_stub_binder""".split())
CALLS = {
    "helper/libloupe_helper.dylib": KERNEL | set("""_mach_port_deallocate _malloc_get_all_zones
        _pthread_threadid_np _task_threads _thread_get_state _thread_info _thread_resume
        _thread_suspend""".split()),
    # Before it begins it reads the environment, and finds classes by dlsym().
    "record/libloupe_record.dylib": KERNEL | set("""___bzero _bzero _dladdr _dlsym _fcntl _getenv
        _malloc_logger _memchr _memcmp _memcpy _memmove _memset _mmap _mprotect _munmap _strcmp
        _strcspn _strlen _strncmp _strspn _strtoull _sysconf""".split()),
}
RUNS_WHEN_LOADED = ("__mod_init_func", "__init_offsets")
# Nothing of the helper runs when it is loaded, and neither allocates for a thread.
LACKS = {
    "helper/libloupe_helper.dylib": RUNS_WHEN_LOADED + ("__thread_vars", "__objc_imageinfo"),
    "watch/libloupe_watch.dylib": ("__objc_imageinfo",),
    "record/libloupe_record.dylib": ("__thread_vars", "__objc_imageinfo"),
}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def run(what, *command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        print(f"{what} failed:\n{done.stdout}{done.stderr}")
        sys.exit(1)
    return done.stdout


def tool(name):
    for version in range(22, 15, -1):
        if found := shutil.which(f"{name}-{version}"):
            return found
    return shutil.which(name) or skip(f"{name} is not installed")


# ---- Building ----

def settings(args):
    yield f"-DCMAKE_TOOLCHAIN_FILE={HERE}/darwin_toolchain.cmake"
    yield f"-DLOUPE_DARWIN_ARCH={args.arch}"
    yield f"-DLOUPE_DARWIN_SYSTEM={args.system}"
    yield f"-DLOUPE_DARWIN_SIGNED={'ON' if args.signed else 'OFF'}"
    yield f"-DLOUPE_DARWIN_SDK={args.sdk.absolute()}"
    yield "-DLOUPE_WERROR=ON"
    for language in ("C", "CXX", "OBJC", "OBJCXX", "ASM"):
        if args.launcher:
            yield f"-DCMAKE_{language}_COMPILER_LAUNCHER={args.launcher}"
    if builds_plugin(args):
        yield f"-DCMAKE_CXX_FLAGS=-stdlib++-isystem {args.libcxx}"
        yield f"-DLOUPE_LLDB_HEADERS={args.lldb_headers}"


def builds_plugin(args):
    return args.system == "macos" and args.libcxx and args.lldb_headers


def configure(args, *more):
    run("configuring", "cmake", "-S", SOURCE, "-B", args.tree, "-G", "Ninja", *settings(args), *more)


def build(args):
    configure(args, "-DLOUPE_BUILD_TESTS=OFF")
    targets = ["loupe_helper", "loupe_record", "loupe_watch", "loupe_stalls", "loupe_testing"]
    if args.signed:
        # lld links no signed pointers in data (ARM64_RELOC_AUTHENTICATED_POINTER).
        targets = [line.split(":")[0] for line in
                   run("ninja", "ninja", "-C", args.tree, "-t", "targets", "all").splitlines()
                   if re.search(r"(core|helper|record|watch|stalls|testing)/.*\.o: ", line)]
    elif args.all and args.system == "macos":
        targets = ["all"]
    run("building", "ninja", "-C", args.tree, *targets)


# ---- What was built ----

def symbols(library, *options):
    listing = run("llvm-nm", tool("llvm-nm"), "-j", *options, library)
    return {line for line in listing.splitlines() if line and not line.endswith(":")}


def declared(header):
    text = (SOURCE / header).read_text()
    return {"_" + name for name in re.findall(r"^LOUPE_\w+_API\b[^;(]*?\(?\*?(\w+)\(", text, re.M)}


def offered(sdk, library):
    """What the text form of a library of the system exports."""
    text = (sdk / "usr" / "lib" / library).read_text()
    return set(re.findall(r"[\w$.]+", " ".join(re.findall(r"symbols:\s*\[(.*?)\]", text, re.S))))


def names_faults(name, library):
    header, others = LIBRARIES[name]
    api = (declared(header) if header else set()) | others
    exported = symbols(library, "--extern-only", "--defined-only")
    for symbol in sorted(exported - api):
        yield f"{name} exports {symbol}, which no header declares"
    for symbol in sorted(api - exported):
        yield f"{name} does not export {symbol}"
    if name in CALLS:
        for symbol in sorted(symbols(library, "--undefined-only") - CALLS[name]):
            yield f"{name} calls {symbol}, which is not on its list"


def linked_to(library):
    used = run("llvm-objdump", tool("llvm-objdump"), "--macho", "--dylibs-used", library)
    return {line.split()[0] for line in filter(str.strip, used.splitlines()[1:])}


def loads_faults(name, library, allowed):
    for path in sorted(linked_to(library) - allowed):
        if not path.startswith("@rpath/libloupe_"):
            yield f"{name} is linked to {path}"
    commands = run("llvm-objdump", tool("llvm-objdump"), "--macho", "--private-headers", library)
    for section in LACKS.get(name, ()):
        if section in commands:
            yield f"{name} has a section {section}"


def exports_faults(what, library, api):
    """For what a debugger loads: one name each."""
    exported = symbols(library, "--extern-only", "--defined-only")
    for symbol in sorted(exported ^ api):
        yield f"{what} {'exports' if symbol in exported else 'does not export'} {symbol}"


def plugin_faults(tree, sdk):
    """Beside the libraries of the system it needs the SB API alone, as LLDB 14 has it."""
    plugin = tree / "plugin" / "libloupe_plugin.so"
    known = offered(sdk, "libSystem.tbd") | offered(sdk, "libc++.tbd")
    for symbol in sorted(symbols(plugin, "--undefined-only") - known):
        if not re.match(r"__ZNK?4lldb\d", symbol):
            yield f"the plugin calls {symbol}, which no library of the system has"
        elif re.search("SBProgress|FixAddress|InterruptRequested", symbol):
            yield f"the plugin needs {symbol}, which older LLDBs do not have"
    yield from exports_faults("the plugin", plugin, {"__ZN4lldb16PluginInitializeENS_10SBDebuggerE"})
    yield from loads_faults("the plugin", plugin, {SYSTEM, "/usr/lib/libc++.1.dylib"})


def faults(args):
    for name in LIBRARIES:
        library = args.tree / name
        yield from names_faults(name, library)
        yield from loads_faults(name, library, {SYSTEM})
        print(f"{name}: {library.stat().st_size} bytes")
    if args.all and args.system == "macos":
        run("what the core calls", sys.executable, "-B", SOURCE / "tests/tree/core_is_freestanding.py",
            tool("llvm-nm"), SOURCE, args.tree / "core/libloupe_core.a",
            args.tree / "answers/libloupe_answers.a")
        answers = args.tree / "answers/libloupe_answers.dylib"
        yield from loads_faults("libloupe_answers", answers, {SYSTEM})
        yield from exports_faults("libloupe_answers", answers, {"_loupe_answers_words"})
        yield from loads_faults("the tool", args.tree / "cli" / "loupe", {SYSTEM} | OF_TOOL)
        for path in sorted(OF_TOOL - linked_to(args.tree / "cli" / "loupe")):
            yield f"the tool is built without {path}"
        if builds_plugin(args):
            yield from plugin_faults(args.tree, args.sdk)


def common_arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("tree", type=pathlib.Path, help="the build tree, which may exist")
    parser.add_argument("arch", choices=("x86_64", "arm64", "arm64e"))
    parser.add_argument("system", choices=("macos", "ios"))
    parser.add_argument("--signed", action="store_true", help="objects with signed pointers only")
    parser.add_argument("--apple", help="where Apple's SDK is; unless told the one beside this script")
    parser.add_argument("--libcxx", help="headers of libc++, for the plugin")
    parser.add_argument("--lldb-headers")
    parser.add_argument("--launcher", help="before the compiler, such as ccache")
    return parser


def parsed(parser):
    """The arguments, once all that they take is here."""
    args = parser.parse_args()
    for name in ("clang", "clang++", "llvm-ar", "llvm-nm", "llvm-objdump", "ld64.lld", "ninja"):
        tool(name)
    args.sdk = OWN_SDK if args.apple is None else apple_sdk.prepared(
        args.apple, args.arch, args.tree.with_name(args.tree.name + "-sdk"))
    return args if args.sdk else skip(apple_sdk.MISSING)


def main():
    parser = common_arguments(__doc__)
    parser.add_argument("--all", action="store_true", help="the tool and the plugin, too")
    args = parsed(parser)
    if args.all and not builds_plugin(args):
        print("the plugin is left out: there are no headers of libc++ or LLDB")
    build(args)
    found = [] if args.signed else list(faults(args))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
