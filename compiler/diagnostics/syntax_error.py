"""A file that Python itself cannot parse, as a diagnostic."""

from __future__ import annotations

import re

from ..ir.source import NOWHERE, Source, Span
from .diagnostic import Diagnostic, Label


def syntax_error(path: str, text: str, error: SyntaxError) -> Diagnostic:
    """Return the diagnostic of a file that is not Python.

    Parameters
    ----------
    path : str
        As shown to the user.
    text : str
        The file's text, as far as it could be decoded.
    error : SyntaxError
        What the parser raised.
    """
    lines = tuple(text.split("\n"))
    label = Label(_span(lines, error), "Python's parser stops here", primary=True)
    message = re.sub(r"'([^']+)'", r"`\1`", error.msg or "invalid syntax")
    return Diagnostic(
        "KP0001", f"not valid Python: {message[0].lower()}{message[1:]}", Source(path, 1, lines), (label,),
        notes=("kernels are written in Python's syntax, so nothing in this file was checked",),
    )  # fmt: skip


def _span(lines: tuple[str, ...], error: SyntaxError) -> Span:
    if not error.lineno or error.lineno > len(lines):
        return NOWHERE
    line = lines[error.lineno - 1]
    start = max((error.offset or 1) - 1, 0)
    end = start + 1
    if error.end_lineno == error.lineno and error.end_offset:
        end = max(error.end_offset - 1, end)
    return Span(error.lineno, _bytes(line[:start]), error.lineno, _bytes(line[:start]) + _bytes(line[start:end]))


def _bytes(text: str) -> int:
    return len(text.encode())
