"""The SDK beside this script against Apple's: every name that it has is Apple's, too, and the same.

usage: sdk_names.py CLANG APPLE_FOLDER WORK_DIR
Functions by their types and by the symbols that calls of them become, structures by their sizes and
places, constants by their values, what libraries offer by their lists, and what each header gives alone. APPLE_FOLDER is what
apple_sdk.py takes. Exits with 77 when there is none.
"""
import json
import pathlib
import re
import subprocess
import sys

import apple_sdk

# Headers that others include under these names are Apple's own arrangement.
INNER = re.compile(r"^(_types|secure/.*|sys/_.*)\.h$")
NEEDED_FIRST = ("mach/mach.h",)
MACHINES = ("x86_64", "arm64")
# All of Darwin, what there is unasked, and what is left for who asks for POSIX.
LEVELS = ("-D_DARWIN_C_SOURCE", "-U_POSIX_C_SOURCE", "-D_POSIX_C_SOURCE=200809L")


def headers(include):
    names = sorted(str(path.relative_to(include)) for path in include.rglob("*.h"))
    return [*NEEDED_FIRST, *(name for name in names if not INNER.match(name))]


class Compiler:
    def __init__(self, clang, arch, level, work):
        self.clang, self.arch, self.level, self.work = clang, arch, level, work

    def run(self, sdk, text, *options):
        source = self.work / f"names_{self.arch}.c"
        source.write_text(text)
        return subprocess.run(
            [self.clang, f"--target={self.arch}-apple-macosx13.0", "-isysroot", sdk, "-std=c11",
             self.level, "-w", "-ferror-limit=0", *options, source],
            capture_output=True, text=True)

    def output(self, sdk, text, *options):
        done = self.run(sdk, text, *options)
        if done.returncode:
            sys.exit(f"{sdk}:\n{done.stderr}")
        return done.stdout


# ---- What the SDK has ----

def spelled(kind):
    """A type of clang's, in words that C has."""
    kind = re.sub(r"\s*__attribute__\(\(.*?\)\)", "", kind)
    return kind.replace("struct __va_list_tag *", "va_list").replace("__size_t", "size_t")


def declared(compiler, includes):
    """Of its own headers: functions and variables with their types, structures with their members."""
    tree = json.loads(compiler.output(apple_sdk.OWN, includes, "-Xclang", "-ast-dump=json",
                                      "-fsyntax-only"))
    functions, records = {}, {}
    for node in tree["inner"]:
        if node.get("isImplicit") or "name" not in node:
            continue
        if node["kind"] in ("FunctionDecl", "VarDecl") and not node["name"].startswith("__builtin"):
            functions[node["name"]] = (spelled(node["type"]["qualType"]),
                                       node.get("storageClass") != "static")
        elif node["kind"] == "RecordDecl" and node.get("completeDefinition"):
            members = [member["name"] for member in node.get("inner", ())
                       if member["kind"] == "FieldDecl" and "name" in member and
                       not member.get("isBitfield")]
            records[f"{node['tagUsed']} {node['name']}"] = members
    return functions, records


def macros(compiler, includes):
    """Those without arguments, with what they become; others without."""
    before = set(compiler.output(apple_sdk.OWN, "\n", "-dM", "-E").splitlines())
    found = {}
    for line in compiler.output(apple_sdk.OWN, includes, "-dM", "-E").splitlines():
        if line not in before:
            name, arguments, body = re.match(r"#define (\w+)(\([^)]*\))?(.*)", line).groups()
            found[name] = None if arguments else body.strip()
    return found


def constants(compiler, includes, names):
    """Those that are numbers."""
    numbers = []
    text = includes + "".join(f"__loupe_value {name} = {name};\n" for name in names)
    expanded = compiler.output(apple_sdk.OWN, text, "-E", "-P")
    for name, line in zip(names, re.findall(r"^__loupe_value (.*);$", expanded, re.M)):
        value = line.partition("=")[2].strip()
        if value and not re.search(r'["{]|[A-Za-z_]{3,}\w*\s*\(|[a-z]\.\w|\w\.[a-z_]|^\w*[a-z]\w*$', value):
            numbers.append(name)
    return numbers


# ---- The same program for both ----

def program(includes, functions, records, numbers):
    lines = [includes, "#include <stddef.h>\n"]
    for name, (_, is_extern) in functions.items():
        if is_extern:
            lines.append(f"const void *const called_{name} = (const void *)&(name_of({name}));\n")
    for record, members in records.items():
        tag = record.replace(" ", "_")
        lines.append(f"const long long size_{tag} = sizeof({record});\n")
        for member in members:
            lines.append(f"const long long at_{tag}_{member} = offsetof({record}, {member});\n")
    for name in numbers:
        lines.append(f"const long long value_{name} = (long long)({name});\n")
    return "".join(lines).replace("name_of(", "(")


def facts(assembly):
    """Symbol of the program's -> what stands there."""
    found, name = {}, None
    for line in assembly.splitlines():
        if label := re.match(r"_((?:called|size|at|value)_\w+):", line):
            name = label[1]
        elif name and (word := re.match(r"\s+\.(?:quad|xword)\s+(\S+)", line)):
            found[name], name = word[1], None
        elif name and re.match(r"\s+\.(?:zero|space)\s+", line):
            found[name], name = "0", None
    return found


def same_facts(compiler, apple, includes, what):
    options = ("-S", "-O0", "-fno-asynchronous-unwind-tables", "-o", "-")
    functions, records, numbers = what
    text = program(includes, functions, renamed(compiler, apple, includes, what), numbers)
    own = facts(compiler.output(apple_sdk.OWN, text, *options))
    theirs = compiler.run(apple, text, *options)
    yield from re.findall(r"error: (.*)", theirs.stderr)
    others = facts(theirs.stdout)
    for name, value in own.items():
        if not theirs.returncode and others.get(name) != value:
            yield f"{name} is {value} here, {others.get(name)} there"
    print(f"{compiler.arch}: {len(own)} symbols of functions, sizes, places and values")


def renamed(compiler, apple, includes, what):
    """Structures without the members that only fill a place, which Apple has under other names."""
    functions, records, _ = what
    done = compiler.run(apple, program(includes, {}, records, []), "-fsyntax-only")
    fillers = re.findall(r"^.* at_\w+ = offsetof\((.*), (\w+)\);$", done.stderr, re.M)
    return {record: [name for name in members if (record, name) not in fillers]
            for record, members in records.items()}


def same_types(compiler, apple, includes, functions):
    lines = [includes]
    for name, (kind, _) in functions.items():
        lines.append(f'_Static_assert(__builtin_types_compatible_p(__typeof__(({name})), '
                     f'__typeof__({kind})), "{name} is no {kind}");\n')
    done = compiler.run(apple, "".join(lines), "-fsyntax-only")
    yield from re.findall(r"error: (.*)", done.stderr)
    print(f"{compiler.arch}: {len(functions)} functions and variables")


def known_macros(compiler, apple, includes, names):
    text = includes + "".join(f"#ifndef {name}\n#error {name}\n#endif\n" for name in names)
    done = compiler.run(apple, text, "-fsyntax-only")
    yield from (f"no macro {name}" for name in re.findall(r"error: (\w+)$", done.stderr, re.M))
    print(f"{compiler.arch}: {len(names)} macros")


# ---- What one header gives alone ----

# Functions of libc++'s own headers, which include the others first.
NOT_ALONE = {"xlocale.h", "mach-o/dyld_images.h"}
GIVEN_TOO = {"wchar.h": {"iswblank", "towctrans", "wctrans", "wctrans_t"}}  # by its <wctype.h>


def given(compiler, name):
    """What a program can name that includes this header alone: a macro, a function or variable, a type."""
    include = f"#include <{name}>\n"
    tree = json.loads(compiler.output(apple_sdk.OWN, include, "-Xclang", "-ast-dump=json", "-fsyntax-only"))
    found = {(macro, f"#ifndef {macro}\n#error no macro\n#endif\n") for macro in macros(compiler, include)}
    for node in tree["inner"]:
        called, kind = node.get("name", "__builtin"), node["kind"]
        if called.startswith("__builtin") or node.get("isImplicit"):
            continue
        if kind in ("FunctionDecl", "VarDecl"):
            found.add((called, f"__typeof__(({called})) *value_{called};\n"))
        elif kind == "TypedefDecl":
            found.add((called, f"{called} *type_{called};\n"))
        elif kind == "RecordDecl" and node.get("completeDefinition"):
            found.add((called, f"char size_{called}[sizeof({node['tagUsed']} {called})];\n"))
    return {(called, use) for called, use in found
            if called not in GIVEN_TOO.get(name, ()) and (not called.startswith("_") or called == "_exit")}


def alone_faults(compiler, apple):
    """A program that includes too little compiles nowhere. The types and macros of <_types.h>, with which
    ours are written, all of them give; Apple's each some."""
    everywhere = given(compiler, "_types.h")
    names = [name for name in headers(apple_sdk.OWN / "usr/include") if name not in NOT_ALONE]
    for name in names:
        uses = sorted(given(compiler, name) - everywhere)
        text = f"#include <{name}>\n" + "".join(use.replace("#error no macro", f"#error {called}")
                                               for called, use in uses)
        done = compiler.run(apple, text, "-fsyntax-only")
        yield from (f"<{name}> alone: {fault}" for fault in re.findall(r"error: (.*)", done.stderr))
    print(f"{compiler.arch}: {len(names)} headers alone")


def listed(text, target):
    """What the text form of a library, and of those within it, offers a target."""
    blocks = re.findall(r"- targets:\s*\[(.*?)\]((?:\s+[\w-]+:\s*\[.*?\])+)", text, re.S)
    return {name for targets, names in blocks if target in re.findall(r"[\w-]+", targets)
            for name in re.findall(r"[\w$.]+", names)}


def known_symbols(apple, library, target):
    own = listed((apple_sdk.OWN / "usr/lib" / library).read_text(), target)
    theirs = listed((apple / "usr/lib" / library).read_text(), target)
    yield from (f"{library} offers no {name} to {target}" for name in sorted(own - theirs))
    print(f"{target}: {len(own)} symbols of {library}")


def header_faults(compiler, apple):
    includes = "".join(f"#include <{name}>\n" for name in headers(apple_sdk.OWN / "usr/include"))
    functions, records = declared(compiler, includes)
    names = macros(compiler, includes)
    numbers = constants(compiler, includes, [name for name, body in names.items() if body])
    yield from same_types(compiler, apple, includes, functions)
    yield from known_macros(compiler, apple, includes, names)
    yield from same_facts(compiler, apple, includes, (functions, records, numbers))


def faults(clang, folder, work):
    for arch in MACHINES:
        apple = apple_sdk.prepared(folder, arch, work / f"sdk-{arch}")
        for level in LEVELS:
            yield from header_faults(Compiler(clang, arch, level, work), apple)
        yield from alone_faults(Compiler(clang, arch, LEVELS[0], work), apple)
        for library in ("libSystem.tbd", "libz.tbd", "libsqlite3.tbd"):
            yield from known_symbols(apple, library, f"{arch}-macos")


def main():
    clang, folder, work = sys.argv[1:]
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    if not apple_sdk.prepared(folder, "x86_64", work / "sdk-x86_64"):
        print(f"skipped: {apple_sdk.MISSING}")
        return 77
    found = list(faults(clang, folder, work))
    print(*found, f"{len(found)} differ", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
