"""What was typed behind a command: its options and words, what may follow, numbers for addresses."""
