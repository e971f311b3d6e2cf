"""The stop that a command was called at, and what may be done there."""
