"""A row of styled terminal columns that is written in any order and printed once."""

from __future__ import annotations

from enum import Enum

from .text import width_of


class Style(Enum):
    """What a piece of a rendering is; the value is its ANSI SGR code."""

    PLAIN = ""
    ERROR = "1;31"  # the code, the primary label
    STRONG = "1"  # the message, the kind of a note
    FRAME = "1;34"  # line numbers, arrows, secondary labels


class Row:
    """One line of output, addressed by column. A wide character owns its column and leaves the next one empty."""

    def __init__(self) -> None:
        self._cells: list[tuple[str, Style]] = []

    def put(self, column: int, text: str, style: Style = Style.PLAIN) -> None:
        """Write `text` from `column` on, over what is there."""
        for character in text:
            width = width_of(character)
            self._cells.extend([(" ", Style.PLAIN)] * (column + width - len(self._cells)))
            if width == 0:  # joins the character before it
                before, its_style = self._cells[column - 1]
                self._cells[column - 1] = (before + character, its_style)
                continue
            self._cells[column] = (character, style)
            for filler in range(column + 1, column + width):
                self._cells[filler] = ("", style)
            column += width

    def is_blank(self, column: int) -> bool:
        """Whether nothing was written at `column`."""
        return column >= len(self._cells) or self._cells[column][0] == " "

    def text(self, colour: bool) -> str:
        """Return the row without trailing blanks, with ANSI escapes if `colour`."""
        end = len(self._cells)
        while end and self._cells[end - 1][0] in (" ", ""):
            end -= 1
        cells = self._cells[:end]
        if not colour:
            return "".join(c for c, _ in cells)
        pieces: list[str] = []
        current = Style.PLAIN
        for character, style in cells:
            if style is not current:
                pieces.append("\x1b[0m" * (current is not Style.PLAIN) + f"\x1b[{style.value}m" * bool(style.value))
                current = style
            pieces.append(character)
        return "".join(pieces) + "\x1b[0m" * (current is not Style.PLAIN)
