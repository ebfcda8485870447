"""Hand-made diagnostics that show each thing the renderer can do."""

from __future__ import annotations

from kparity.compiler.diagnostics.diagnostic import Diagnostic, Label
from kparity.compiler.ir.source import NOWHERE, Source, Span


def span(source: Source, line: int, code: str, occurrence: int = 0) -> Span:
    """Span of the n-th occurrence of `code` in a line; columns in UTF-8 bytes, as the front end makes them."""
    text = source.line(line)
    start = -1
    for _ in range(occurrence + 1):
        start = text.index(code, start + 1)
    return Span(line, len(text[:start].encode()), line, len(text[: start + len(code)].encode()))


def between(first: Span, last: Span) -> Span:
    """From the start of one span to the end of another."""
    return Span(first.line, first.column, last.end_line, last.end_column)


SMOOTH = Source(
    "smooth.py",
    1,
    (
        "@kernel",
        'def smooth(x: Mut[f64, "n"]):',
        "    for i in parallel((1, n - 1)):",
        "        x[i] = 0.5 * (x[i - 1] + x[i + 1])",
    ),
)

DATA_RACE = Diagnostic(
    "KP0401",
    "data race on `x`: one thread writes an element that another reads",
    SMOOTH,
    (
        Label(span(SMOOTH, 4, "x[i]"), "written here", True),
        Label(span(SMOOTH, 4, "x[i - 1]"), "read by the thread with the next `i`"),
        Label(Span(3, 8, 3, 9), "each value of `i` is a thread of its own"),
    ),
    witness="n = 4: thread i = 1 writes x[1], thread i = 2 reads x[1]",
    notes=("threads of one `parallel` run in any order; nothing orders these two accesses",),
    helps=('write to a second array: add `y: Mut[f64, "n"]` and assign `y[i] = ...`',),
)

LOOP = Source(
    "loop.py",
    8,
    (
        "def f():",
        "    for i in range(0,",
        "       a,",
        "       b,",
        "       c,",
        "       d,",
        "      e):",
        "        x[i] = y[i] + z[i] * w",
        "        pass",
        "        p = 1",
        "        q = 2",
        "        r = 3",
        "        s = p + r",
    ),
)
_RANGE = between(span(LOOP, 9, "range"), span(LOOP, 14, "e)"))
_FOR = between(span(LOOP, 9, "for"), span(LOOP, 14, "e):"))

WIDE = Source(
    "wide.py", 3, ("\tif ok:\t# 温度", "        温度[i] = 風[i] + e\u0301[i] * k", "\tx = 'a\u202eb'  \x0c+ y")
)

_TERMS = " + ".join(f"a[i + {k}]" for k in range(40))
LONG = Source("long.py", 100, (f"        {_TERMS}", "        y[i] = 0.0", f"        z[i] = {_TERMS[:54]}"))

CASES: dict[str, Diagnostic] = {
    "data_race": DATA_RACE,
    "one_label": Diagnostic(
        "KP0103", "unknown name `d`", LOOP, (Label(span(LOOP, 13, "d"), "not defined here", True),)
    ),
    "no_text": Diagnostic("KP0103", "unknown name `d`", LOOP, (Label(span(LOOP, 13, "d"), "", True),)),
    "no_place": Diagnostic(
        "KP0303", "no large launch satisfies the guards", LOOP, (Label(NOWHERE, "lost", True),), notes=("why",)
    ),
    "three_on_a_line": Diagnostic(
        "KP0201", "types differ", LOOP,
        (
            Label(span(LOOP, 15, "y[i]"), "this is `f64`"), Label(span(LOOP, 15, "z[i]"), "this is `i32`"),
            Label(span(LOOP, 15, "w"), "this is `bool`", True),
        ),
    ),
    "nested_labels": Diagnostic(
        "KP0601", "may overflow", LOOP,
        (
            Label(span(LOOP, 15, "z[i]"), "factor", True), Label(span(LOOP, 15, "y[i] + z[i] * w"), "sum"),
            Label(span(LOOP, 15, "x[i]"), "target"), Label(span(LOOP, 15, "x"), "array"),
        ),
    ),
    "same_span_twice": Diagnostic(
        "KP0401", "data race on `x`", LOOP,
        (
            Label(span(LOOP, 15, "x[i]"), "written by thread i = 0", True),
            Label(span(LOOP, 15, "x[i]"), "written by thread i = 1"),
        ),
    ),
    "one_line_between": Diagnostic(
        "KP0205", "`s` may be read", LOOP,
        (Label(span(LOOP, 17, "p"), "first"), Label(span(LOOP, 19, "r"), "second", True)),
    ),
    "lines_between": Diagnostic(
        "KP0205", "`s` may be read", LOOP,
        (Label(span(LOOP, 15, "x[i]"), "first"), Label(span(LOOP, 20, "p + r"), "second", True)),
    ),
    "many_lines": Diagnostic("KP0101", "this loop", LOOP, (Label(_FOR, "the whole header", True),)),
    "many_lines_inside": Diagnostic(
        "KP0101", "this range", LOOP, (Label(_RANGE, "the range", True), Label(span(LOOP, 15, "y[i]"), "used here")),
    ),
    "many_lines_and_labels": Diagnostic(
        "KP0101", "this range", LOOP,
        (
            Label(_RANGE, "the range", True), Label(Span(9, 8, 9, 9), "index"),
            Label(span(LOOP, 14, ")"), "ends here, in a text that is too long for one line beside or below it"),
        ),
    ),
    "many_lines_twice": Diagnostic(
        "KP0101", "two", LOOP,
        (Label(between(_FOR, span(LOOP, 15, "w")), "outer"), Label(_RANGE, "inner", True)),
    ),
    "tabs_and_wide_characters": Diagnostic(
        "KP0201", "types of `温度` differ", WIDE,
        (
            Label(span(WIDE, 3, "ok"), "under a tab"), Label(span(WIDE, 4, "風[i]"), "風 is `f64`", True),
            Label(span(WIDE, 4, "e\u0301[i]"), "combining"),
            Label(span(WIDE, 5, "y"), "after what must not be printed"),
        ),
    ),
    "long_line": Diagnostic(
        "KP0301", "out of bounds", LONG,
        (Label(span(LONG, 100, "a[i + 15]"), "index 15", True), Label(span(LONG, 101, "y[i]"), "written here")),
    ),
    "long_line_two_labels": Diagnostic(
        "KP0301", "out of bounds", LONG,
        (
            Label(span(LONG, 100, "a[i + 5]"), "one", True),
            Label(span(LONG, 100, "a[i + 35]"), "two, with a text that does not fit beside it, nor on one line below"),
        ),
    ),
    "long_label": Diagnostic("KP0102", "too long", LONG, (Label(span(LONG, 100, _TERMS), "all of it", True),)),
    "label_near_the_edge": Diagnostic(
        "KP0301", "out of bounds", LONG,
        (Label(span(LONG, 102, "a[i + 4]"), "the largest index is n + 3, but the extent is n", True),),
    ),
    "wrapped_remarks": Diagnostic(
        "KP0302", "bounds are not provable", SMOOTH, (Label(span(SMOOTH, 4, "x[i]"), "here", True),),
        witness=" ".join(f"n = {k}," for k in range(30)),
        notes=("code in backticks, such as `for i in parallel((1, n - 1)):`, is kept on one line wherever it fits",),
        helps=("first line\n    x[i] = 1.0\n    y[i] = 2.0", "an" + "other" * 20 + " word"),
    ),
}  # fmt: skip
