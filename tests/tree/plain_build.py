"""Builds with gcc alone, without tests, by CMake as it comes; installs, finds from another project
and uninstalls the result.

usage: plain_build.py CMAKE SOURCE_DIR WORK_DIR
Exits with 77 when there is no gcc, g++ or make.
"""
import os
import pathlib
import shutil
import subprocess
import sys

# What a machine has that knows neither clang nor ninja nor lldb.
TOOLS = ("gcc", "g++", "make", "as", "ld", "ar", "ranlib", "nm", "strip", "objcopy", "uname", "sh")


def tools_only(folder: pathlib.Path) -> str:
    """A PATH of one folder with those tools."""
    folder.mkdir(parents=True)
    for name in TOOLS:
        found = shutil.which(name)
        if found is None:
            print(f"skipped: there is no {name}")
            sys.exit(77)
        (folder / name).symlink_to(found)
    return str(folder)


def ask_pkg_config(prefix: pathlib.Path, source: pathlib.Path, program: pathlib.Path) -> None:
    """Builds and runs a program with the flags that pkg-config says, where there is one."""
    tool = shutil.which("pkg-config") or shutil.which("pkgconf")
    if not tool:
        print("pkg-config was not asked: it is not installed")
        return
    flags = subprocess.run([tool, "--cflags", "--libs", "loupe"], text=True, check=True,
                           stdout=subprocess.PIPE,
                           env={"PKG_CONFIG_PATH": str(prefix / "share/pkgconfig")}).stdout.split()
    subprocess.run(["gcc", str(source), "-o", str(program), *flags], check=True)
    subprocess.run([str(program)], stdout=subprocess.DEVNULL, check=True)


def main() -> None:
    cmake, source, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    shutil.rmtree(work, ignore_errors=True)
    tree, prefix = work / "tree", work / "prefix"
    environment = {"PATH": tools_only(work / "bin"), "HOME": str(work)}

    def run(*arguments: object) -> str:
        done = subprocess.run([cmake, *map(str, arguments)], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            print(done.stdout)
            sys.exit(f"cmake {' '.join(map(str, arguments))} failed")
        return done.stdout

    run("-S", source, "-B", tree, "-DLOUPE_BUILD_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Debug")
    run("--build", tree, "--parallel", os.cpu_count() or 1)
    run("--install", tree, "--prefix", prefix)
    installed = [path for path in prefix.rglob("*") if path.is_file()]
    for name in ("bin/loupe", "lib/loupe/libloupe_helper.so", "include/loupe_helper.h",
                 "share/loupe/__init__.py", "share/loupe/lldb_commands/commands.py"):
        assert prefix / name in installed, f"{name} was not installed"
    # As somebody's own project finds it, also when it was moved.
    moved = work / "moved"
    shutil.copytree(prefix, moved)
    example = pathlib.Path(source) / "examples" / "cmake_package"
    for place in (prefix, moved):
        consumer = work / f"consumer_of_{place.name}"
        run("-S", example, "-B", consumer, f"-DCMAKE_PREFIX_PATH={place}")
        run("--build", consumer)
        said = subprocess.run([consumer / "asks_loupe"], capture_output=True, text=True, check=True).stdout
        assert '"engine":"helper","status":"error"' in said, said  # no object is at nil, nor a runtime
        ask_pkg_config(place, example / "main.c", work / f"asks_{place.name}")
    foreign = prefix / "share" / "another.txt"
    foreign.write_text("not ours\n")
    run("--build", tree, "--target", "uninstall")
    left = [str(path) for path in prefix.rglob("*") if path.is_file() or "loupe" in path.name.lower()]
    assert left == [str(foreign)], f"left behind: {left}"


main()
