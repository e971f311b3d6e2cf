"""What is asked of engines and of the tool, and what is made of their answers."""
