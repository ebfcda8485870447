"""Text as a terminal shows it: columns instead of characters."""

from __future__ import annotations

import re
import unicodedata

from rich.cells import cell_len

TAB = " " * 4

_TOKEN = re.compile(r"\w+ = \S+|(?:`[^`]*`|\S)+")  # `n = 4` and code in backticks stay on one line


def glyph(character: str) -> str:
    """Return what is printed for a character of the source: nothing that moves the cursor, hides or reorders text."""
    if character == "\t":
        return TAB
    if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp"):
        return "\N{REPLACEMENT CHARACTER}"
    return character


def width_of(text: str) -> int:
    """Return the number of terminal columns that `text` takes: 2 for a wide character, 0 for a combining one."""
    return cell_len(text)


def characters_before(line: str, column: int) -> int:
    """Return how many characters stand before a span's column, which counts UTF-8 bytes as Python's trees do."""
    return len(line.encode()[:column].decode(errors="ignore")) + max(column - len(line.encode()), 0)


def wrap(text: str, width: int) -> list[str]:
    """Break `text` into lines of at most `width` columns, at spaces outside backticks; its own line ends are kept.

    A word, or a piece of code, that is wider than `width` gets a line of its own and sticks out.
    """
    return [line for paragraph in text.split("\n") for line in _wrap_paragraph(paragraph, width)]


def _wrap_paragraph(paragraph: str, width: int) -> list[str]:
    if width_of(paragraph) <= width:
        return [paragraph]  # spacing kept: it may be code
    lines: list[str] = []
    current = ""
    for token in _tokens(paragraph, width):
        longer = f"{current} {token}" if current else token
        if current and width_of(longer) > width:
            lines.append(current)
            current = token
        else:
            current = longer
    return [*lines, current] if current else lines


def _tokens(paragraph: str, width: int) -> list[str]:
    found = _TOKEN.findall(paragraph)
    return [part for token in found for part in (token.split() if width_of(token) > width else [token])]
