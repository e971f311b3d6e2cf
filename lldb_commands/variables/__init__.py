"""Blocks and objects in `frame variable` and in an editor's list of variables."""
