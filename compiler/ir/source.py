"""Where a piece of a kernel stands in the user's file."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Source:
    """A file's name and the text of the lines that hold one kernel.

    Attributes
    ----------
    path : str
        As shown to the user.
    first_line : int
        Number, in the file, of the first line of `lines`; counted from 1.
    lines : tuple of str
        Without line ends, as written (indentation kept).
    called : tuple of Source
        Device functions of the same file.
    """

    path: str
    first_line: int
    lines: tuple[str, ...] = field(repr=False)
    called: tuple[Source, ...] = field(default=(), repr=False)

    def line(self, number: int) -> str:
        """Return the text of a line by its number in the file; empty beyond the kernel and what it calls."""
        index = number - self.first_line
        if 0 <= index < len(self.lines):
            return self.lines[index]
        return next((text for part in self.called if (text := part.line(number))), "")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of source. Lines count from 1 in the file, columns from 0; the end column is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


NOWHERE = Span(0, 0, 0, 0)
