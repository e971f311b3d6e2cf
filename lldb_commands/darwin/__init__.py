"""What is particular to Apple's systems: how files are signed, and what their loader refuses."""
