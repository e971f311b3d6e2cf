"""Heap dumps made by a real Java virtual machine of programs with known truths."""
import os
import pathlib
import shutil
import subprocess
import sys
from typing import List

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def skip(reason: str) -> None:
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def need_java(*tools: str) -> None:
    for tool in ("java", "javac", *tools):
        if not shutil.which(tool):
            skip(f"there is no {tool}")


def compile_sources(folder: pathlib.Path, sources: List[pathlib.Path], classpath: str = "") -> None:
    command = ["javac", "-nowarn", "-d", str(folder)]
    if classpath:
        command += ["-cp", classpath]
    subprocess.run([*command, *map(str, sources)], check=True, capture_output=True, text=True)


def run_java(classpath: str, *arguments: str) -> str:
    """Small, and without threads that depend on the machine."""
    command = ["java", "-XX:+UseSerialGC", "-Xmx512m", "-cp", classpath, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"})
    return done.stdout


def planted_app(folder: pathlib.Path, *dumps: str) -> None:
    """Dumps of the program that plants truths, one before and one after it goes on."""
    classes = folder / "classes"
    compile_sources(classes, sorted((HERE / "program").rglob("*.java")))
    run_java(str(classes), "com.example.App", *(str(folder / name) for name in dumps))
