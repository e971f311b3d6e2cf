"""Asking from Python: the way to an answer that commands and scripts share."""
