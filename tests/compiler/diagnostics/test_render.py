"""The renderer, against golden files (`--update-golden` rewrites them) and against its own promises."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from kparity.compiler.diagnostics.diagnostic import Diagnostic, Label
from kparity.compiler.diagnostics.render import render
from kparity.compiler.ir.source import Source, Span

from .cases import CASES, DATA_RACE

GOLDEN = Path(__file__).parent / "golden"
ANSI = re.compile(r"\x1b\[[0-9;]*m")

STYLE_GUIDE_SAMPLE = """\
error[KP0401]: data race on `x`: one thread writes an element that another reads
  --> smooth.py:4:9
   |
 3 |     for i in parallel((1, n - 1)):
   |         - each value of `i` is a thread of its own
 4 |         x[i] = 0.5 * (x[i - 1] + x[i + 1])
   |         ^^^^          -------- read by the thread with the next `i`
   |         |
   |         written here
   |
   = witness: n = 4: thread i = 1 writes x[1], thread i = 2 reads x[1]
   = note: threads of one `parallel` run in any order; nothing orders these two accesses
   = help: write to a second array: add `y: Mut[f64, "n"]` and assign `y[i] = ...`
   = more: kparity explain KP0401
"""


def test_sample_of_the_style_guide() -> None:
    assert render(DATA_RACE, width=100) == STYLE_GUIDE_SAMPLE


@pytest.mark.parametrize("name", CASES)
def test_golden(name: str, update_golden: bool) -> None:
    file = GOLDEN / f"{name}.txt"
    rendered = render(CASES[name])
    if update_golden:
        file.write_text(rendered, encoding="utf-8")
    assert rendered == file.read_text(encoding="utf-8")


def test_each_golden_file_has_its_case() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_colour_changes_nothing_but_colour(name: str) -> None:
    coloured = render(CASES[name], colour=True)
    assert ANSI.sub("", coloured) == render(CASES[name])
    assert coloured.startswith("\x1b[1;31merror[")
    for line in coloured.splitlines():
        last = ANSI.findall(line)[-1:]
        assert last in ([], ["\x1b[0m"]), "a style must not run into the next line"


def test_primary_label_is_red_and_secondary_is_not() -> None:
    line = next(line for line in render(DATA_RACE, colour=True).splitlines() if "^^^^" in line)
    assert "\x1b[1;31m^^^^" in line
    assert "\x1b[1;34m--------" in line


LINES = st.text(alphabet=st.sampled_from("ab[] +\t世e\u0301\u200b\x07"), max_size=150)


@st.composite
def diagnostics(draw: st.DrawFn) -> Diagnostic:
    lines = tuple(draw(st.lists(LINES, min_size=1, max_size=8)))
    source = Source("f.py", draw(st.integers(1, 2000)), lines)
    labels = []
    for number in range(draw(st.integers(1, 4))):
        first = draw(st.integers(0, len(lines) - 1))
        last = draw(st.integers(first, len(lines) - 1))
        start = draw(st.integers(0, len(lines[first].encode())))
        end = draw(st.integers(start if first == last else 0, len(lines[last].encode())))
        text = " ".join(["word"] * draw(st.integers(0, 12)))
        place = Span(first + source.first_line, start, last + source.first_line, end)
        labels.append(Label(place, text, number == 0))
    return Diagnostic("KP0000", "message", source, tuple(labels))


@settings(max_examples=200, deadline=None)
@given(diagnostics(), st.integers(60, 120))
def test_any_labels_can_be_drawn(diagnostic: Diagnostic, width: int) -> None:
    text = render(diagnostic, width=width)
    words = sum(label.text.count("word") for label in diagnostic.labels)
    assert text.count("word") == words, "a label's text is missing, cut or overwritten"
    assert "^" in text, "the primary label is hidden"
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u200b]", text), "the source reaches the terminal unfiltered"
    assert ANSI.sub("", render(diagnostic, width=width, colour=True)) == text


@settings(max_examples=200, deadline=None)
@given(LINES.filter(str.strip), st.data(), st.integers(60, 120))
def test_one_label_fits_and_stands_under_its_code(line: str, data: st.DataObject, width: int) -> None:
    visible = [i for i, c in enumerate(line) if c.isprintable() and cell_len(c) and c != " "]
    if not visible:
        return
    start = data.draw(st.sampled_from(visible))
    column = len(line[:start].encode())
    label = Label(Span(7, column, 7, column + len(line[start].encode())), "here", True)
    rows = render(Diagnostic("KP0000", "message", Source("f.py", 7, (line,)), (label,)), width=width).splitlines()
    source_row = next(row for row in rows if row.startswith(" 7 |"))
    marker_row = rows[rows.index(source_row) + 1]
    assert max(cell_len(row) for row in rows) <= width
    assert _at_column(source_row, marker_row.index("^")) == line[start]


def _at_column(text: str, column: int) -> str:
    """Return the character that starts at a terminal column."""
    return next(c for i, c in enumerate(text) if cell_len(c) and cell_len(text[:i]) == column)
