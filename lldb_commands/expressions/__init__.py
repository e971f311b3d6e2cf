"""What was typed -> address: a literal, a path through objects, a variable, an expression."""
