"""Lets lldb import the checkout, or share/loupe of an installation, by its own path.

    command script import /path/to/loupe

loads the commands beside this file, as the path of lldb_commands does.
"""
import os


def __lldb_init_module(debugger, _internal):  # type: ignore[no-untyped-def]
    here = os.path.dirname(os.path.realpath(__file__))
    path = os.path.join(here, "lldb_commands").replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\`")
    debugger.HandleCommand(f'command script import "{path}"')
