"""The source lines of a diagnostic with its labels drawn under them, as rustc does it."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.source import Source
from .annotations import Annotation, Bar, annotate, lines_to_show
from .canvas import Row, Style
from .diagnostic import Diagnostic
from .shown_line import LABEL_ROOM, ShownLine, show_line
from .text import width_of, wrap


def snippet(diagnostic: Diagnostic, gutter: int, width: int) -> list[Row]:
    """Draw the labelled lines of a diagnostic.

    Parameters
    ----------
    diagnostic : Diagnostic
        Whose labels are drawn, each somewhere in its source.
    gutter : int
        Columns left of the `|` that separates line numbers from source.
    width : int
        Columns of the whole.
    """
    annotations, bars = annotate(diagnostic)
    rows: list[Row] = []
    previous = 0
    for number in lines_to_show(annotations, bars):
        if previous and number > previous + 1:
            rows.append(_skipped(bars, previous, gutter))
        here = [a for a in annotations if a.line == number]
        rows.extend(_Block(diagnostic.source, number, here, bars, gutter, width).rows())
        previous = number
    return rows


def frame_row(gutter: int, number: str = "") -> Row:
    """Return a row that has the gutter only."""
    row = Row()
    row.put(0, f"{number:>{gutter - 1}} |", Style.FRAME)
    return row


def _skipped(bars: Sequence[Bar], line: int, gutter: int) -> Row:
    row = Row()
    row.put(0, "...", Style.FRAME)
    for bar in bars:
        if bar.first_line <= line < bar.last_line:
            row.put(gutter + 1 + bar.number, "|", _style(bar.primary))
    return row


def _style(primary: bool) -> Style:
    return Style.ERROR if primary else Style.FRAME


class _Block:
    """One source line and the rows under it."""

    def __init__(
        self, source: Source, number: int, annotations: list[Annotation], bars: Sequence[Bar], gutter: int, width: int
    ) -> None:
        self.number = number
        self.annotations = sorted(annotations, key=lambda a: (a.start, a.end))
        self.bars = bars
        self.gutter = gutter
        self.code = gutter + 2 + (max(b.number for b in bars) + 1 if bars else 0)  # column of the source text
        self.width = width
        focuses = [a.focus for a in annotations]
        self.shown: ShownLine = show_line(source.line(number), focuses, width - self.code)
        self.opened = {a.bar for a in annotations if a.bar and not a.text and self._opens(a)}
        self.closed: set[int] = set()

    def rows(self) -> list[Row]:
        rows = [self._source_row()]
        if not self.annotations:
            return rows
        beside = self._beside()
        hanging = [a for a in self.annotations if a is not beside and (a.text or a.bar)]
        rows.extend(self._marker_rows(beside))
        if hanging:
            rows.append(self._connector_row(hanging))
        while hanging:
            last = hanging.pop()
            rows.extend(self._line_to_bar(last, hanging) if last.bar else self._hanging_text(last, hanging))
        return rows

    def _opens(self, annotation: Annotation) -> bool:
        return any(b.number == annotation.bar and b.first_line == self.number for b in self.bars)

    def _column(self, index: int) -> int:
        return self.code + self.shown.column(index)

    def _start(self, annotation: Annotation) -> int:
        return self._column(annotation.start)

    def _end(self, annotation: Annotation) -> int:
        return max(self._column(annotation.end), self._start(annotation) + 1)

    def _columns(self, annotation: Annotation) -> range:
        return range(self._start(annotation), self._end(annotation))

    def _drawing_order(self, annotation: Annotation) -> tuple[bool, int, bool]:
        """Put the shorter markers on top, the primary one too where it would be hidden altogether."""
        columns = self._columns(annotation)
        others = {c for a in self.annotations if not a.primary for c in self._columns(a)}
        return annotation.primary and others.issuperset(columns), -len(columns), annotation.primary

    def _source_row(self) -> Row:
        row = frame_row(self.gutter, str(self.number))
        row.put(self.code, self.shown.text)
        for bar in self.bars:
            column = self.gutter + 1 + bar.number
            if bar.first_line < self.number <= bar.last_line:
                row.put(column, "|", _style(bar.primary))
            elif bar.slashed and bar.first_line == self.number:
                row.put(column, "/", _style(bar.primary))
        return row

    def _row_below(self) -> Row:
        row = frame_row(self.gutter)
        for bar in self.bars:
            started = bar.first_line < self.number or (bar.first_line == self.number and bar.number not in self.opened)
            if started and self.number <= bar.last_line and bar.number not in self.closed:
                row.put(self.gutter + 1 + bar.number, "|", _style(bar.primary))
        return row

    def _beside(self) -> Annotation | None:
        """Return the annotation that is finished on the markers' row: the rightmost one, if its text fits there."""
        if len(self.annotations) == 1 and self.annotations[0].bar:
            return self.annotations[0]
        last = max(self.annotations, key=lambda a: (self._end(a), a.start, a.primary))
        fits = self._end(last) + 1 + width_of(last.text) <= self.width
        return last if last.text and not last.bar and fits else None

    def _marker_rows(self, beside: Annotation | None) -> list[Row]:
        if beside is not None and beside.bar:
            return self._line_to_bar(beside, [])
        row = self._row_below()
        for a in sorted(self.annotations, key=self._drawing_order):
            row.put(self._start(a), a.mark * (self._end(a) - self._start(a)), _style(a.primary))
        if beside is not None:
            row.put(self._end(beside) + 1, beside.text, _style(beside.primary))
        return [row]

    def _connector_row(self, hanging: Sequence[Annotation]) -> Row:
        row = self._row_below()
        for a in hanging:
            row.put(self._start(a), "|", _style(a.primary))
        return row

    def _hanging_text(self, annotation: Annotation, others: Sequence[Annotation]) -> list[Row]:
        column = self._start(annotation)
        rows = []
        for line in wrap(annotation.text, max(self.width - column, LABEL_ROOM)):
            row = self._connector_row([a for a in others if self._start(a) < column])
            row.put(column, line, _style(annotation.primary))
            rows.append(row)
        return rows

    def _line_to_bar(self, annotation: Annotation, others: Sequence[Annotation]) -> list[Row]:
        """Draw the horizontal line between a label's end and its bar, and the label's text."""
        row = self._connector_row([a for a in others if a.start < annotation.start])
        style = _style(annotation.primary)
        column = self._start(annotation)
        for at in range(self.gutter + 2 + annotation.bar, column):
            if row.is_blank(at):
                row.put(at, "_", style)
        row.put(column, annotation.mark, style)
        if self._opens(annotation):
            self.opened.discard(annotation.bar)
            return [row]
        self.closed.add(annotation.bar)
        return [row, *self._text_after(row, annotation, column + 2)]

    def _text_after(self, row: Row, annotation: Annotation, column: int) -> list[Row]:
        first, *rest = wrap(annotation.text, max(self.width - column, LABEL_ROOM)) or [""]
        row.put(column, first, _style(annotation.primary))
        rows = []
        for line in rest:
            more = self._row_below()
            more.put(column, line, _style(annotation.primary))
            rows.append(more)
        return rows
