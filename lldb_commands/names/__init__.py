"""Answer -> the same answer with the names that the programmer wrote, from debug info."""
