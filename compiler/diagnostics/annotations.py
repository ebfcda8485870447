"""What is drawn under and beside one source line: markers, hanging texts, ends of labels that span lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.source import NOWHERE, Source, Span
from .diagnostic import Diagnostic
from .shown_line import Focus
from .text import characters_before


@dataclass(frozen=True, slots=True)
class Annotation:
    """A marker on one line, in characters of that line.

    Attributes
    ----------
    line : int
        Of the file.
    start, end : int
        Marked characters; at least one.
    text : str
        Of the label; empty at the first line of a label that spans lines.
    primary : bool
        Whether it is drawn with carets.
    bar : int
        Number of the vertical bar at the left that it is connected to, from 1; 0 for a label of one line.
    """

    line: int
    start: int
    end: int
    text: str
    primary: bool
    bar: int = 0

    @property
    def mark(self) -> str:
        """The character it is underlined with."""
        return "^" if self.primary else "-"

    @property
    def focus(self) -> Focus:
        """What must stay visible of the line."""
        return Focus(self.start, self.end, len(self.text))


@dataclass(frozen=True, slots=True)
class Bar:
    """The vertical line, left of the source, of a label that spans lines.

    `slashed` if the label starts with the first character of its line: then a slash beside that line is enough.
    """

    number: int
    first_line: int
    last_line: int
    slashed: bool
    primary: bool


def annotate(diagnostic: Diagnostic) -> tuple[list[Annotation], list[Bar]]:
    """Turn the labels of a diagnostic into annotations of single lines, and bars between them."""
    annotations: list[Annotation] = []
    bars: list[Bar] = []
    for label in sorted(diagnostic.labels, key=lambda one: (one.span.line, -one.span.end_line)):
        span = in_characters(diagnostic.source, label.span)
        if span == NOWHERE:
            continue
        if span.end_line <= span.line:
            end = max(span.end_column, span.column + 1)
            annotations.append(Annotation(span.line, span.column, end, label.text, label.primary))
            continue
        slashed = not diagnostic.source.line(span.line)[: span.column].strip()
        bar = Bar(_free_number(bars, span), span.line, span.end_line, slashed, label.primary)
        bars.append(bar)
        if not slashed:
            annotations.append(Annotation(span.line, span.column, span.column + 1, "", label.primary, bar.number))
        last = max(span.end_column - 1, 0)
        annotations.append(Annotation(span.end_line, last, last + 1, label.text, label.primary, bar.number))
    return annotations, bars


def in_characters(source: Source, span: Span) -> Span:
    """Return a span whose columns count characters instead of UTF-8 bytes."""
    return Span(
        span.line, characters_before(source.line(span.line), span.column), span.end_line,
        characters_before(source.line(span.end_line), span.end_column),
    )  # fmt: skip


def lines_to_show(annotations: Sequence[Annotation], bars: Sequence[Bar]) -> list[int]:
    """Return the numbers of the lines to print: the annotated ones, and single lines between them."""
    wanted = {a.line for a in annotations} | {b.first_line for b in bars}
    for bar in bars:
        wanted |= {bar.first_line + 1, bar.last_line - 1}
    wanted |= {n + 1 for n in wanted if n + 2 in wanted}
    return sorted(wanted)


def _free_number(bars: Sequence[Bar], span: Span) -> int:
    taken = {b.number for b in bars if b.first_line <= span.end_line and span.line <= b.last_line}
    return next(n for n in range(1, len(taken) + 2) if n not in taken)
