"""Diagnostics: the data, the one renderer, and the functions that word each fault."""
