"""How types meet: literals adapt, widening is implicit, every narrowing is a written cast."""

from __future__ import annotations

from typing import Any

import pytest

from kparity.compiler.ir.nodes import Assign, Binary, Call, Cast, Const, Logical, Select, Store
from kparity.compiler.ir.types import SCALARS
from kparity.compiler.ir.walk import walk

from ..sources import elementwise, faults, kernel, messages

NUMBERS = ["f64", "f32", "i64", "i32", "u64", "u32"]
WIDENS = {
    ("f32", "f64"), ("i32", "i64"), ("u32", "u64"), ("u32", "i64"),
    ("i64", "f64"), ("i32", "f64"), ("u64", "f64"), ("u32", "f64"),
}  # fmt: skip


def stored(one: Any) -> Any:
    """The value of the first store."""
    return next(s for s in one.typed.body.body if isinstance(s, Store)).value


@pytest.mark.parametrize("source", NUMBERS)
@pytest.mark.parametrize("target", NUMBERS)
def test_conversions(source: str, target: str) -> None:
    implicit, written = elementwise("x[i]", target, x=source), elementwise(f"{target}(x[i])", target, x=source)
    if source == target:
        assert not isinstance(stored(implicit), Cast) and not isinstance(stored(written), Cast)
        return
    assert isinstance(stored(written), Cast)
    if (source, target) in WIDENS:
        assert isinstance(stored(implicit), Cast)
        return
    assert faults(implicit) == [("KP0202", "x[i]")]
    assert f"`{source}` to `{target}`" in messages(implicit)[0]


@pytest.mark.parametrize("left", NUMBERS)
@pytest.mark.parametrize("right", NUMBERS)
@pytest.mark.parametrize("symbol", ["+", "<"])
def test_operands_meet_in_the_wider_type(left: str, right: str, symbol: str) -> None:
    value = f"a[i] {symbol} b[i]" if symbol == "+" else f"1 if a[i] {symbol} b[i] else 0"
    meeting = right if (left, right) in WIDENS else left if left == right or (right, left) in WIDENS else ""
    one = elementwise(value, meeting or "f64", a=left, b=right)
    if meeting:
        operation = next(e for e in walk(stored(one)) if isinstance(e, Binary))
        assert operation.left.type is operation.right.type is SCALARS[meeting]
    else:
        assert [code for code, _ in faults(one)] == ["KP0201"]


@pytest.mark.parametrize("type_", NUMBERS)
@pytest.mark.parametrize("expression", [
    "x[i] + 2", "2 * x[i]", "x[i] + (3 - 1)", "-1 * x[i] if x[i] > 100 else x[i]", "max(x[i], 7)", "min(3, x[i], 9)",
    "1 if x[i] > 2 else 0", "x[i] + (1 if i > 2 else 2)", "(1 if i > 0 else 2) if i > 1 else 3",
])  # fmt: skip
def test_literals_take_the_type_of_the_other_operand(type_: str, expression: str) -> None:
    one = elementwise(expression, type_, x=type_)
    if expression.startswith("-1") and type_.startswith("u"):
        assert [code for code, _ in faults(one)] == ["KP0201"]
        return
    value = stored(one)
    assert value.type is SCALARS[type_]
    assert not any(isinstance(e, Cast) for e in walk(value))


@pytest.mark.parametrize(("expression", "result", "code", "text"), [
    ("x[i] / 2", "i64", "KP0201", "x[i] / 2"),
    ("x[i] // 2.0", "f64", "KP0201", "x[i] // 2.0"),
    ("1.5 // 1", "f64", "KP0201", "1.5 // 1"),
    ("x[i] & 1.0", "f64", "KP0201", "x[i] & 1.0"),
    ("True + 1", "i64", "KP0201", "1"),
    ("(x[i] > 0) + (x[i] > 1)", "i64", "KP0201", "(x[i] > 0) + (x[i] > 1)"),
    ("x[i] > 0", "i64", "KP0201", "x[i] > 0"),
    ("not x[i]", "i64", "KP0201", "x[i]"),
    ("1 if x[i] else 2", "i64", "KP0201", "x[i]"),
    ("x[i] and x[i] > 0", "i64", "KP0201", "x[i]"),
    ("~x[i]", "i64", "KP0102", "~x[i]"),
    ("-(x[i] > 0)", "i64", "KP0102", "-(x[i] > 0)"),
    ("bool(x[i])", "i64", "KP0102", "bool(x[i])"),
    ("max(x[i] > 0, True)", "i64", "KP0204", "max(x[i] > 0, True)"),
    ("1.5", "i64", "KP0201", "1.5"),
    ("9223372036854775808", "i64", "KP0201", "9223372036854775808"),
    ("-9223372036854775808", "i64", "", ""),
    ("18446744073709551615", "u64", "", ""),
    ("-1", "u64", "KP0201", "-1"),
    ("3000000000", "i32", "KP0201", "3000000000"),
    ("1e39", "f32", "KP0201", "1e39"),
    ("10**400", "f64", "KP0201", "10**400"),
    ("1 << 70", "i64", "KP0201", "1 << 70"),
    ("1 << 10**9", "i64", "KP0201", "1 << 10**9"),
    ("2**(10**9)", "i64", "KP0201", "2**(10**9)"),
    ("2**-1", "f64", "", ""),
    ("0.0**-1", "f64", "KP0201", "0.0**-1"),
    ("(-1.0)**0.5", "f64", "KP0201", "(-1.0)**0.5"),
    ("1 // 0", "i64", "KP0201", "1 // 0"),
    ("x[i] ** 5", "i64", "KP0102", "x[i] ** 5"),
    ("x[i] ** 2.0", "i64", "KP0102", "x[i] ** 2.0"),
    ("x[i] @ x[i]", "i64", "KP0102", "x[i] @ x[i]"),
    ("x[i] is x[i]", "i64", "KP0102", "x[i] is x[i]"),
    ("'text'", "i64", "KP0102", "'text'"),
    ("1j", "i64", "KP0102", "1j"),
    ("sqrt(x[i] > 0)", "f64", "KP0204", "sqrt(x[i] > 0)"),
    ("sqrt(*x)", "f64", "KP0204", "sqrt(*x)"),
    ("sqrt(x=1.0)", "f64", "KP0204", "sqrt(x=1.0)"),
    ("ceildiv(2.0, x[i])", "f64", "KP0204", "ceildiv(2.0, x[i])"),
    ("sqrt", "f64", "KP0102", "sqrt"),
    ("f64", "f64", "KP0102", "f64"),
])  # fmt: skip
def test_what_types_refuse(expression: str, result: str, code: str, text: str) -> None:
    one = elementwise(expression, result, x="i64")
    assert faults(one) == ([(code, text)] if code else [])


def test_a_local_keeps_its_first_type() -> None:
    one = kernel("""
        def k(y: Out[f64, "n"], x: Ref[f32, "n"]):
            for i in parallel(n):
                a = x[i]
                b: f64 = 1
                c: i32 = 7
                d = 2
                e = 0.0
                e = x[i]
                d = c
                y[i] = a + b + e
        """)
    types = {s.variable.name: s.variable.type.name for s in one.typed.body.body if isinstance(s, Assign)}
    assert types == {"a": "f32", "b": "f64", "c": "i32", "d": "i64", "e": "f64"}


@pytest.mark.parametrize(
    "line", ["d = x[i]", "d += 1.5", "d: i32 = x[i]", "d = 2**63", "d: i64 = 1.5", "d: f32 = x[i]"]
)
def test_a_local_is_not_given_what_does_not_fit(line: str) -> None:
    one = kernel(f"""
        def k(y: Out[f64, "n"], x: Ref[f64, "n"]):
            for i in parallel(n):
                y[i] = 0.0
                {"d = 1" if ":" not in line else "pass"}
                {line}
        """)
    assert len(faults(one)) == 1 and faults(one)[0][0] in ("KP0201", "KP0202")


def test_tuple_assignment_evaluates_all_values_first() -> None:
    """A swap goes through temporaries; literals need none, and adapt to what they are stored in."""
    one = kernel("""
        def k(y: Mut[f32, "n"], z: Mut[i32, "n"]):
            for i in parallel(n):
                y[i], z[i] = 1, 2
                a, b = y[i], z[i]
                y[i], z[i] = a, b
        """)
    kinds = [type(s).__name__ for s in one.typed.body.body]
    swap = ["Assign", "Assign"]
    assert kinds == ["Store", "Store", *swap, "Assign", "Assign", *swap, "Store", "Store"]


def test_chained_comparisons_are_lazy_conjunctions() -> None:
    condition = stored(elementwise("1.0 if 0.0 < x[i] <= 2.0 < 3.0 else 0.0", x="f64")).condition
    assert isinstance(condition, Logical) and condition.is_and
    assert isinstance(condition.left, Binary) and condition.left.operation.name == "lt"
    assert isinstance(condition.right, Logical) and isinstance(condition.right.right, Const)


def test_min_of_several_and_fma_of_literals() -> None:
    value = stored(elementwise("min(x[i], 2, 3) + fma(2, 3, x[i])", "f32", x="f32"))
    assert value.type is SCALARS["f32"]
    assert sum(isinstance(e, Call) for e in walk(value)) == 3
    assert not any(isinstance(e, Cast) for e in walk(value))


def test_a_ternary_of_literals_stays_open() -> None:
    value = stored(elementwise("x[i] * (1 if x[i] > 2 else 0)", "f32", x="f32"))
    assert isinstance(value.right, Select) and value.right.type is SCALARS["f32"]
    assert faults(elementwise("1 if x[i] > 2 else 0.5", "i64", x="i64")) == [("KP0201", "1 if x[i] > 2 else 0.5")]
