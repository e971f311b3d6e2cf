"""The commands as a package of Python: installed with no network, used, taken away.

usage: test_module.py PROJECT_FOLDER; exit status 77 without pip or setuptools 61.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def main() -> int:
    project = pathlib.Path(sys.argv[1])
    try:
        import setuptools
        import pip  # noqa: F401
    except ImportError as problem:
        print(f"skipped: {problem}")
        return 77
    if int(setuptools.__version__.split(".")[0]) < 61:
        print(f"skipped: setuptools {setuptools.__version__} knows no pyproject.toml")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source, target = folder / "source", folder / "target"
        source.mkdir()
        for part in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(project / part, source)
        shutil.copytree(project / "lldb_commands", source / "lldb_commands",
                        ignore=shutil.ignore_patterns("__pycache__"))
        done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps",
                               "--no-build-isolation", "--target", target, source], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              env={**os.environ, "HOME": name, "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
        if done.returncode and "wheel" in done.stdout:
            print(f"skipped: pip needs more than is here: {done.stdout.strip()[-300:]}")
            return 77
        assert done.returncode == 0, done.stdout
        shipped, installed = ({path.relative_to(root / "lldb_commands")
                               for path in (root / "lldb_commands").rglob("*")
                               if path.suffix in (".py", ".json")} for root in (project, target))
        assert shipped == installed, shipped ^ installed
        environment = {**os.environ, "HOME": name, "PYTHONPATH": str(target)}

        def run(*words: str) -> str:
            return subprocess.run([sys.executable, "-m", "lldb_commands", *words], cwd=folder, text=True,
                                  env=environment, stdout=subprocess.PIPE, check=True).stdout

        assert "loads Loupe" in run("--install")
        lldbinit = folder / ".lldbinit"
        assert f'command script import "{target}/lldb_commands"' in lldbinit.read_text()
        assert "any more" in run("--uninstall")
        assert not lldbinit.exists()
    return 0


if __name__ == "__main__":
    sys.exit(main())
