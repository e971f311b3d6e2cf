"""The Debian package: what is in it and where, what it says of itself, what lintian says of it.

usage: test_deb.py CPACK BUILD_TREE; exit status 77 without the tools of Debian
"""
import hashlib
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from typing import Dict

WANTED = ("usr/bin/loupe", "usr/lib/loupe/libloupe_plugin.so", "usr/lib/loupe/libloupe_helper.so",
          "usr/lib/loupe/libloupe_answers.so",
          "usr/include/loupe_helper.h", "usr/share/loupe/__init__.py",
          "usr/share/loupe/lldb_commands/commands.py", "usr/share/loupe/rules/android.rules",
          "usr/share/doc/loupe/leaks.md", "usr/share/doc/loupe/copyright",
          "usr/share/doc/loupe/changelog.gz", "usr/share/man/man1/loupe.1.gz",
          "usr/share/man/man1/loupe-leaks.1.gz", "usr/share/man/man7/loupe-environment.7.gz",
          "usr/share/bash-completion/completions/loupe", "usr/share/fish/vendor_completions.d/loupe.fish",
          "usr/share/zsh/vendor-completions/_loupe",
          "usr/share/loupe/lldb_commands/verbs.json",
          "usr/lib/cmake/Loupe/LoupeConfig.cmake", "usr/share/pkgconfig/loupe.pc")


def run(*command: object, **environment: str) -> str:
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, check=False,
                          stderr=subprocess.STDOUT, env={**os.environ, **environment})
    assert done.returncode == 0, (command, done.stdout)
    return done.stdout


def make(cpack: str, tree: str, folder: pathlib.Path) -> pathlib.Path:
    run(cpack, "--config", f"{tree}/CPackConfig.cmake", "-G", "DEB", "-B", folder,
        SOURCE_DATE_EPOCH="1700000000")
    (package,) = folder.glob("*.deb")
    return package


def check_wheel(prefix: pathlib.Path, folder: pathlib.Path) -> None:
    """The same files as a wheel: installed by pip without a network, found by the commands, and run."""
    script = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "wheel.py"
    first, second = (run(sys.executable, "-B", script, prefix, "0.1.0", made, SOURCE_DATE_EPOCH="1700000000").strip()
                     for made in (folder, folder / "root"))
    assert pathlib.Path(first).read_bytes() == pathlib.Path(second).read_bytes()
    if importlib.util.find_spec("pip") is None:
        return
    target = folder / "site"
    run(sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", target, first,
        HOME=folder, PIP_DISABLE_PIP_VERSION_CHECK="1")
    said = run(sys.executable, "-B", "-c", "from lldb_commands.engines import libraries; "
               "print(*map(libraries.find, ('plugin', 'helper', 'tool', 'answers')), sep='\\n')",
               PYTHONPATH=target)
    assert [pathlib.Path(line).parent.name for line in said.splitlines()] == ["native"] * 4, said
    assert run(target / "bin" / "loupe", "--version", PYTHONPATH=target) == run(prefix / "bin/loupe", "--version")


def check_bundle(prefix: pathlib.Path, folder: pathlib.Path) -> None:
    """The command-line tool as clients of the Model Context Protocol take it; what a registry is told of it."""
    script = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "mcp.py"
    made = run(sys.executable, "-B", script, "bundle", prefix, "0.1.0", folder).strip()
    with zipfile.ZipFile(made) as packed:
        manifest = json.loads(packed.read("manifest.json"))
        assert packed.getinfo(manifest["server"]["entry_point"]).external_attr >> 16 & 0o111
    assert {"open", "leaks", "path"} <= {tool["name"] for tool in manifest["tools"]}, manifest
    told = json.loads(run(sys.executable, "-B", script, "server", "https://github.com/owner/loupe", "0.1.0", made))
    [package] = told["packages"]
    assert told["name"] == "io.github.owner/loupe" and len(told["description"]) <= 100, told
    assert package["fileSha256"] == hashlib.sha256(pathlib.Path(made).read_bytes()).hexdigest()


def main() -> int:
    cpack, tree = sys.argv[1:]
    for tool in ("dpkg-deb", "dpkg-shlibdeps", "gzip"):
        if not shutil.which(tool):
            print(f"skipped: there is no {tool}")
            return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        package = make(cpack, tree, folder / "first")
        root = folder / "root"
        run("dpkg-deb", "-x", package, root)
        missing = [path for path in WANTED if not (root / path).is_file()]
        assert not missing, missing
        beside = [str(path) for path in root.rglob("*") if "__pycache__" in str(path)]
        assert not beside, beside
        fields: Dict[str, str] = dict(
            line.split(": ", 1) for line in run("dpkg-deb", "-f", package).splitlines()
            if ": " in line and not line.startswith(" "))
        assert fields["Package"] == "loupe" and "libc6" in fields["Depends"], fields
        assert "lldb" not in fields["Depends"], "the plugin is for any lldb"
        assert run(root / "usr/bin/loupe", "--version").startswith("loupe ")
        check_wheel(root / "usr", folder)
        check_bundle(root / "usr", folder)
        again = make(cpack, tree, folder / "second")
        assert package.read_bytes() == again.read_bytes(), "two packages of one tree differ"
        if not shutil.which("lintian"):
            print("lintian was not asked: it is not installed")
            return 0
        said = run("lintian", "--fail-on", "error,warning", "--allow-root", package)
        assert not said.strip(), said
    return 0


if __name__ == "__main__":
    sys.exit(main())
