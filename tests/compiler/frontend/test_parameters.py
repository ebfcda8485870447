"""Parameter lists: borrows, reducers, scalars, and the grammar of dims."""

from __future__ import annotations

from typing import Any

import pytest

from kparity.compiler import Mut
from kparity.compiler.ir.nodes import Access, Array, Reducer, Variable
from kparity.compiler.runtime.expression_text import evaluate, expression_text

from ..sources import faults, kernel, messages, module

BODY = "\n    for i in parallel(4):\n        z[i] = 1.0\n"


def signature(parameters: str, **names: Any) -> Any:
    return kernel(f"def k(z: Mut[f64, 9], {parameters}):{BODY}", **names)


def test_kinds_of_parameters() -> None:
    typed = signature('a: Ref[f32, "n"], b: Out[i64, "n", "m"], c: f64, d: u32, s: Sum[i32], l: MinLoc[f64]').typed
    found = [(p.name, type(p).__name__) for p in typed.parameters[1:]]
    assert found == [
        ("a", "Array"), ("b", "Array"), ("c", "Variable"), ("d", "Variable"), ("s", "Reducer"), ("l", "Reducer"),
    ]  # fmt: skip
    a, b, c, _, s, low = typed.parameters[1:]
    assert isinstance(a, Array) and a.access is Access.REF and a.element.name == "f32"
    assert isinstance(b, Array) and b.access is Access.OUT and len(b.dims) == 2
    assert isinstance(c, Variable) and isinstance(s, Reducer) and isinstance(low, Reducer)
    assert low.reduction.has_location and not s.reduction.has_location
    assert [v.name for v in typed.extents] == ["n", "m"]


@pytest.mark.parametrize(("dim", "lower", "upper", "text"), [
    ('"n"', 0, 10, "n"),
    ('" n "', 0, 10, "n"),
    ('"n + 1"', 0, 11, "n + 1"),
    ('"2*n - 3"', 0, 17, "2*n - 3"),
    ('"n*2 + m"', 0, 23, "n*2 + m"),
    ('"-(1 - n)"', 0, 9, "-(1 - n)"),
    ('"lo..n"', -2, 10, "lo..n"),
    ('"-1..n + 1"', -1, 11, "-1..n + 1"),
    ('"lo - 1 .. lo + 4"', -3, 2, "lo - 1 .. lo + 4"),
    ("7", 0, 7, "7"),
    ("WIDTH", 0, 6, "6"),
    ('"n + WIDTH"', 0, 16, "n + WIDTH"),
    ('"k"', 0, 5, "k"),  # a scalar parameter
    ('"k + n"', 0, 15, "k + n"),
])  # fmt: skip
def test_dims(dim: str, lower: int, upper: int, text: str) -> None:
    typed = signature(f'x: Ref[f64, "n", "m"], y: Ref[f64, {dim}], lo: i64, k: i32', WIDTH=6).typed
    found = next(a for a in typed.arrays if a.name == "y").dims[0]
    values = {"n": 10, "m": 3, "lo": -2, "k": 5}
    assert evaluate(expression_text(found.lower, {}), values) == lower
    assert evaluate(expression_text(found.upper, {}), values) == upper
    assert found.text == text
    assert [v.name for v in typed.extents] == ["n", "m"]


@pytest.mark.parametrize(("parameter", "message"), [
    ("y", "parameter `y` has no type"),
    ("y: float", "`float` is not a parameter type"),
    ("y: list[f64]", "`list[f64]` is not a parameter type"),
    ("y: f64[3]", "is not a parameter type"),
    ("y: Ref", "array `y` needs an element type first"),
    ('y: Ref["n"]', "array `y` needs an element type first"),
    ('y: Atomic[bool, "n"]', "`Atomic` array `y` holds `bool`"),
    ('y: Ref[f64, "n", "m", layout(0)]', "`layout(0)` is no order of 2 dims"),
    ('y: Ref[f64, "n", "m", layout(1, 1)]', "`layout(1, 1)` is no order of 2 dims"),
    ('y: Ref[f64, "n", "m", layout(1, 2)]', "`layout(1, 2)` is no order of 2 dims"),
    ('y: Ref[f64, layout(1, 0), "n", "m"]', "`layout(1, 0)` is not a dim"),
    ("y: Table[f64]", "array `y` needs 1 to 8 dims"),
    ('y: Table[f64, "n"]', "the size of table `y` is not known"),
    ("y: Table[f64, 4, 2, layout(1, 0)]", "table `y` has a layout"),
    ("y: Table[f64, 2049]", "table `y` has 16392 bytes"),
    ("y: Pack", "pack `y` needs a borrow and a number of members"),
    ('y: Pack[Ref[f64, "n"]]', "pack `y` needs a borrow and a number of members"),
    ('y: Pack[Ref[f64, "n"], "m"]', "pack `y` needs a borrow and a number of members"),
    ("y: Pack[f64, 3]", "pack `y` needs a borrow and a number of members"),
    ('y: Pack[Pack[Ref[f64, "n"], 2], 3]', "pack `y` needs a borrow and a number of members"),
    ('y: Pack[Ref[f64, "n"], 0]', "pack `y` has 0 members"),
    ('y: Pack[Ref[f64, "n"], 1025]', "pack `y` has 1025 members"),
    ('y: Pack[Ref[f64, "n", "m", layout(1, 0)], 2]', "members of pack `y` have a layout"),
    ('y: Pack[Ref[f64, "m[]", "n[]"], 2]', "the dim `n[]` has its place elsewhere"),
    ('y: Ref[f64, "n[]"]', "the dim `n[]` has its place elsewhere"),
    ('y: Pack[Ref[f64, "z[]"], 2]', "`z[]` cannot be the lengths of `y`: the name has another meaning"),
    ('y: Pack[Ref[f64, "q[]"], 2], w: Pack[Ref[f64, "q[]"], 3]', "the lengths of `w`: packs of another size have it"),
    ("y: Ref[f64]", "array `y` needs 1 to 8 dims"),
    ("y: Ref[f64, 1, 2, 3, 4, 5, 6, 7, 8, 9]", "array `y` needs 1 to 8 dims"),
    ("y: Pack[Ref[f64, 1, 2, 3, 4, 5, 6, 7, 8, 9], 2]", "array `y` needs 1 to 8 dims"),
    ("y: Ref[f64, 0]", "`0` is not a dim"),
    ("y: Ref[f64, -1]", "`-1` is not a dim"),
    ("y: Ref[f64, True]", "`True` is not a dim"),
    ("y: Ref[f64, 2.0]", "`2.0` is not a dim"),
    ("y: Ref[f64, nowhere]", "`nowhere` is not a dim"),
    ('y: Ref[f64, "n +"]', "the dim `n +` is not an expression"),
    ('y: Ref[f64, ""]', "the dim `` is not an expression"),
    ('y: Ref[f64, "lambda"]', "the dim `lambda` is not an expression"),
    ('y: Ref[f64, "None"]', "the dim `None` is not affine"),
    ('y: Ref[f64, "n // 2"], x: Ref[f64, "n"]', "the dim `n // 2` is not affine"),
    ('y: Ref[f64, "n*n"], x: Ref[f64, "n"]', "the dim `n*n` is not affine"),
    ('y: Ref[f64, "n(3)"], x: Ref[f64, "n"]', "the dim `n(3)` is not affine"),
    ('y: Ref[f64, "1.5"]', "the dim `1.5` is not affine"),
    ('y: Ref[f64, "q + 1"]', "the dim `q + 1` uses `q`, which nothing binds"),
    ('y: Ref[f64, "q..4"]', "the dim `q` uses `q`, which nothing binds"),
    ('y: Ref[f64, "a"], a: f64', "the dim `a` uses `a`, which is no integer scalar"),
    ('y: Ref[f64, "y"]', "the dim `y` uses `y`, which is no integer scalar"),
    ('y: Ref[f64, "z"]', "the dim `z` uses `z`, which is no integer scalar"),
    ('y: Ref[f64, "s"], s: Sum[f64]', "the dim `s` uses `s`, which is no integer scalar"),
    ("s: Sum", "reducer `s` needs one element type"),
    ("s: Sum[f64, i32]", "`i32` is not a dim"),
    ("s: MinLoc[f64, 3]", "reducer `s` has 1 dims, at most 0 are possible"),
    ("s: Sum[bool]", "`Sum` does not combine `bool`"),
    ("s: And[f64]", "`And` does not combine `f64`"),
    ("s: Or[f32]", "`Or` does not combine `f32`"),
    ("a: f64 = 1.0", "parameters are plain: no defaults, no `*`"),
    ("*args", "parameters are plain: no defaults, no `*`"),
    ("**kwargs", "parameters are plain: no defaults, no `*`"),
    ("*, a: f64", "parameters are plain: no defaults, no `*`"),
    ("y: 'Ref[f64,'", "`Ref[f64,` is not a parameter type"),
])  # fmt: skip
def test_faulty_parameters(parameter: str, message: str) -> None:
    """One error each: what a faulty parameter would have named is not called unknown as well."""
    found = messages(signature(parameter, nowhere=object()))
    assert len(found) == 1 and found[0].startswith("KP0105") and message in found[0]


@pytest.mark.parametrize(("parameter", "dims", "members"), [
    ("y: Ref[f64, 1, 2, 3, 4, 5, 6, 7, 8]", 8, 0),
    ("y: Pack[Ref[f64, 1, 2, 3, 4, 5, 6, 7, 8], 2]", 9, 2),
    ('y: Pack[Ref[f64, "m", "n[]"], 2], x: Ref[f64, "m"]', 3, 2),
    ('y: Pack[Ref[f64, "n[]", "m"], 2], x: Ref[f64, "m"]', 3, 2),
])  # fmt: skip
def test_largest_ranks_and_places_of_lengths(parameter: str, dims: int, members: int) -> None:
    one = signature(parameter)
    assert messages(one) == []
    y = next(a for a in one.typed.arrays if a.name == "y")
    assert (len(y.dims), y.members) == (dims, members)


@pytest.mark.parametrize("parameter", [
    "y", "y: nothing", 'y: nothing["n", f64]', 'y: Ref["n"]', "*y", "*, y: f64",
    'y: Ref[f64, "n", "n", "n", "n", "n", "n", "n", "n", "n"]',
])  # fmt: skip
def test_uses_of_a_faulty_parameter_are_silent(parameter: str) -> None:
    one = kernel(
        f"""
        def k(z: Mut[f64, "m"], {parameter}):
            for i in parallel({"n" if '"n"' in parameter else "m"}):
                z[i] = y[i] + y
                y[i] = 2.0 * z[i]
                y += 1.0
                w = y * 2.0
                z[i] = w
                y.update(w)
                if y > 0.0:
                    z[i] = y.size
        """,
        nothing=Mut,
    )
    assert [code for code, _ in faults(one)] == ["KP0105"], messages(one)


def test_annotations_as_strings() -> None:
    """`from __future__ import annotations`, and annotations that are written as strings."""
    made = module("""
        from __future__ import annotations

        @kernel
        def k(y: Mut[f64, "n"], x: "Ref[f64, 'n + 1']", a: "f64"):
            for i in parallel(n):
                y[i] = a * x[i + 1]
        """)["k"]
    assert [d.text for a in made.typed.arrays for d in a.dims] == ["n", "n + 1"]
    faulty = kernel("""
        def k(y: Mut[f64, "n"], x: "Ref[f64, 'm + 1']"):
            for i in parallel(n):
                y[i] = x[i + 1]
        """)
    assert faults(faulty) == [("KP0105", "\"Ref[f64, 'm + 1']\"")]
