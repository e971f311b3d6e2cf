"""Text that comes in or goes out: files, whose they are, and what of them may be shown."""
