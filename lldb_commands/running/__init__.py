"""What is asked of a program that goes on: methods to stop at, retains and releases, objects that
should die, threads."""
