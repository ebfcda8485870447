"""One source line as it is shown: tabs expanded, wide characters measured, cut around its labels if too long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .text import glyph, width_of

ELLIPSIS = "..."
LABEL_ROOM = 24  # columns that a label's text gets before it is wrapped
WHOLE_LABEL = 40  # a longer span may be cut in the middle, if the line has to be cut


@dataclass(frozen=True, slots=True)
class Focus:
    """Characters `start <= i < end` of a line that must stay visible, with the columns that their text needs."""

    start: int
    end: int
    room: int = 0


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line as printed, and where each of its characters went.

    Attributes
    ----------
    text : str
        Without a line end.
    columns : tuple of int
        Column at which character i starts, and one entry for the end of the line.
    """

    text: str
    columns: tuple[int, ...]

    def column(self, index: int) -> int:
        """Column of a character; one past the end of the line for anything further right."""
        return self.columns[min(max(index, 0), len(self.columns) - 1)]


def show_line(line: str, focuses: Sequence[Focus], width: int) -> ShownLine:
    """Lay out `line` in `width` columns; what is cut out around the focuses is replaced by `...`.

    Parameters
    ----------
    line : str
        As written.
    focuses : sequence of Focus
        In any order; they may overlap or reach beyond the line.
    width : int
        Columns, for the line and the texts of its labels.
    """
    glyphs = [glyph(c) for c in line]
    whole = _lay_out(glyphs, [True] * len(glyphs))
    if _fits(whole, focuses, width):
        return whole
    distances = _distances(len(glyphs), focuses)
    best = _lay_out(glyphs, [d == 0 for d in distances])
    for context in range(1, len(glyphs)):
        wider = _lay_out(glyphs, [d <= context for d in distances])
        if not _fits(wider, focuses, width):
            break
        best = wider
    return best


def _fits(shown: ShownLine, focuses: Sequence[Focus], width: int) -> bool:
    room = max((shown.column(f.start) + min(f.room, LABEL_ROOM) for f in focuses), default=0)
    return width_of(shown.text) <= width and room <= width


def _distances(length: int, focuses: Sequence[Focus]) -> list[int]:
    """Of each character to the nearest one that must stay."""
    kept = {i for f in focuses for i in _must_stay(f) if 0 <= i < length}
    if not kept:
        return list(range(length))
    distances = [0 if i in kept else length for i in range(length)]
    for i in range(1, length):
        distances[i] = min(distances[i], distances[i - 1] + 1)
    for i in range(length - 2, -1, -1):
        distances[i] = min(distances[i], distances[i + 1] + 1)
    return distances


def _must_stay(focus: Focus) -> list[int]:
    inside = list(range(focus.start, max(focus.end, focus.start + 1)))
    if len(inside) <= WHOLE_LABEL:
        return inside
    return inside[: WHOLE_LABEL // 2] + inside[-WHOLE_LABEL // 2 :]


def _lay_out(glyphs: Sequence[str], kept: Sequence[bool]) -> ShownLine:
    pieces: list[str] = []
    columns: list[int] = []
    column = 0
    for start, end, keep in _runs(kept):
        run = glyphs[start:end]
        if not keep and sum(map(width_of, run)) > len(ELLIPSIS):
            columns.extend([column] * len(run))
            pieces.append(ELLIPSIS)
            column += len(ELLIPSIS)
            continue
        for each in run:  # a gap no wider than the dots is shown
            columns.append(column)
            column += width_of(each)
        pieces.extend(run)
    return ShownLine("".join(pieces).rstrip(), (*columns, column))


def _runs(kept: Sequence[bool]) -> list[tuple[int, int, bool]]:
    runs: list[tuple[int, int, bool]] = []
    for i, keep in enumerate(kept):
        if runs and runs[-1][2] == keep:
            runs[-1] = (runs[-1][0], i + 1, keep)
        else:
            runs.append((i, i + 1, keep))
    return runs
