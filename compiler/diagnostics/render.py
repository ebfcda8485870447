"""A diagnostic as text, in rustc's manner: the one place that knows about terminals."""

from __future__ import annotations

from ..ir.source import NOWHERE
from .annotations import in_characters
from .canvas import Row, Style
from .diagnostic import Diagnostic
from .snippet import frame_row, snippet
from .text import width_of, wrap


def render(diagnostic: Diagnostic, *, colour: bool = False, width: int = 80) -> str:
    """Return the text of a diagnostic, ending with a line end.

    Parameters
    ----------
    diagnostic : Diagnostic
        What to show.
    colour : bool
        Write ANSI escapes.
    width : int
        Columns of the terminal. Source lines are cut around their labels and texts are wrapped to it; the message and
        the place stay on one line each, so that tools find them.
    """
    gutter = len(str(max(label.span.end_line for label in diagnostic.labels))) + 2
    rows = [_headline(diagnostic)]
    if diagnostic.span == NOWHERE:
        rows.append(_place(diagnostic.source.path, gutter))
    else:
        start = in_characters(diagnostic.source, diagnostic.span)
        rows.append(_place(f"{diagnostic.source.path}:{start.line}:{start.column + 1}", gutter))
        rows.append(frame_row(gutter))
        rows.extend(snippet(diagnostic, gutter, width))
    rows.append(frame_row(gutter))
    for kind, text in _remarks(diagnostic):
        rows.extend(_remark(kind, text, gutter, width))
    return "".join(row.text(colour) + "\n" for row in rows)


def headline(code: str, message: str) -> str:
    """Return the first line of every error, those without a source line included."""
    return f"error[{code}]: {message}"


def _headline(diagnostic: Diagnostic) -> Row:
    row = Row()
    line = headline(diagnostic.code, diagnostic.message)
    code = line.index(":")
    row.put(0, line[:code], Style.ERROR)
    row.put(code, line[code:], Style.STRONG)
    return row


def _place(place: str, gutter: int) -> Row:
    row = Row()
    row.put(gutter - 1, "--> ", Style.FRAME)
    row.put(gutter + 3, place)
    return row


def _remarks(diagnostic: Diagnostic) -> list[tuple[str, str]]:
    return [
        *([("witness", diagnostic.witness)] if diagnostic.witness else []),
        *(("note", text) for text in diagnostic.notes),
        *(("help", text) for text in diagnostic.helps),
        ("more", f"kparity explain {diagnostic.code}"),
    ]


def _remark(kind: str, text: str, gutter: int, width: int) -> list[Row]:
    """Lay out `= kind: text`, later lines indented to the text."""
    head = f"{kind}: "
    column = gutter + 2 + width_of(head)
    rows = []
    for number, line in enumerate(wrap(text, width - column)):
        row = Row()
        if number == 0:
            row.put(gutter, "=", Style.FRAME)
            row.put(gutter + 2, head, Style.STRONG)
        row.put(column, line)
        rows.append(row)
    return rows
