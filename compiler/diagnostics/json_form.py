"""A diagnostic as plain data, for editors and other programs."""

from __future__ import annotations

from typing import Any

from ..ir.source import Source, Span
from .annotations import in_characters
from .diagnostic import Diagnostic
from .render import render


def as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return what `json.dumps` takes.

    Lines and columns count from 1, columns in characters; an end column is the first one outside of the span. A fault
    that has no place in the source has line 0. `rendered` is the text for people, without colours.
    """
    return {
        "code": diagnostic.code,
        "severity": "error",
        "message": diagnostic.message,
        "path": diagnostic.source.path,
        **_place(diagnostic.source, diagnostic.span),
        "labels": [
            {"text": label.text, "primary": label.primary, **_place(diagnostic.source, label.span)}
            for label in diagnostic.labels
        ],
        "witness": diagnostic.witness or None,
        "notes": list(diagnostic.notes),
        "helps": list(diagnostic.helps),
        "rendered": render(diagnostic),
    }


def _place(source: Source, span: Span) -> dict[str, int]:
    characters = in_characters(source, span)
    return {
        "line": span.line,
        "column": characters.column + 1,
        "end_line": span.end_line,
        "end_column": characters.end_column + 1,
    }
