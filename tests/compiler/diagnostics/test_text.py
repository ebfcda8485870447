"""Terminal columns, wrapping, and places in characters."""

from __future__ import annotations

import pytest

from kparity.compiler.diagnostics.text import characters_before, glyph, width_of, wrap


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("short", 20, ["short"]),
        ("", 20, [""]),
        ("two words", 5, ["two", "words"]),
        ("  kept  as  it  is", 20, ["  kept  as  it  is"]),
        ("write `a[i, j] = 0` here", 16, ["write", "`a[i, j] = 0`", "here"]),
        ("write `a[i, j] = 0` here", 10, ["write", "`a[i, j] =", "0` here"]),
        ("with n = 4 and m = 5", 10, ["with n = 4", "and m = 5"]),
        ("first\n    second", 40, ["first", "    second"]),
        ("温度 温度 温度", 10, ["温度 温度", "温度"]),
        ("unbreakable" * 2 + " word", 10, ["unbreakable" * 2, "word"]),
    ],
)
def test_wrap(text: str, width: int, lines: list[str]) -> None:
    assert wrap(text, width) == lines


@pytest.mark.parametrize(
    ("line", "column", "characters"),
    [("abc", 2, 2), ("温度x", 6, 2), ("温度x", 7, 3), ("é = 1", 2, 1), ("abc", 5, 5), ("", 0, 0)],
)
def test_characters_before(line: str, column: int, characters: int) -> None:
    assert characters_before(line, column) == characters


@pytest.mark.parametrize("character", ["\x1b", "\x07", "\u202e", "\u200b", "\u2028", "\x7f", "\x0c"])
def test_nothing_reaches_the_terminal_that_hides_or_moves_text(character: str) -> None:
    assert glyph(character) == "\N{REPLACEMENT CHARACTER}"
    assert width_of(glyph(character)) == 1
