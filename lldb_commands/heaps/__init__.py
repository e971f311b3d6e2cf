"""Whole heaps at a stop: an engine makes a snapshot once, and the tool of the terminal answers."""
