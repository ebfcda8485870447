"""Every operation on every type it accepts, on values at the ends of the type, against the interpreter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from kparity.compiler.ir.operations import BINARY, COMPARISONS
from kparity.compiler.ir.types import SCALARS

from ..interpreter import NUMPY
from ..sources import elementwise, kernel

# Threads make no difference to an element: `cpu` is left to the other files.
pytestmark = pytest.mark.parametrize("target", ["cpu1", pytest.param("cuda", marks=pytest.mark.cuda)])
INTEGERS = ["i64", "i32", "u64", "u32"]
FLOATS = ["f64", "f32"]


def ends(type_: str) -> list[Any]:
    """Values around zero and at both ends of a type."""
    scalar = SCALARS[type_]
    if scalar.is_float:
        tiny, huge = (1e-310, 1e308) if type_ == "f64" else (1e-40, 3e38)
        return [0.0, -0.0, 1.0, -1.0, 0.1, 3.5, -7.25, tiny, huge, -huge, math.inf, -math.inf, math.nan]
    near = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 100]
    values = [*near, *(-v for v in near), scalar.lowest, scalar.lowest + 1, scalar.highest, scalar.highest - 1]
    return [v for v in dict.fromkeys(values) if scalar.lowest <= v <= scalar.highest]


def pairs(type_: str, second: list[Any] | None = None) -> dict[str, np.ndarray[Any, Any]]:
    """Arrays `a`, `b` with each pair of values."""
    rows = [(a, b) for a in ends(type_) for b in (second or ends(type_))]
    return {n: np.array(column, NUMPY[type_]) for n, column in zip("ab", zip(*rows, strict=True), strict=True)}


def accepted(operation: Any, type_: str) -> bool:
    scalar = SCALARS[type_]
    column = operation.floating if scalar.is_float else operation.signed if scalar.is_signed else operation.unsigned
    return column is not None


@pytest.mark.parametrize("type_", INTEGERS + FLOATS)
def test_arithmetic(type_: str, agree: Any) -> None:
    """All operations of a type in one kernel, each into an array of its own."""
    operations = [o for o in BINARY if accepted(o, type_)]
    assert len(operations) == (4 if type_ in FLOATS else 10)
    outs = ", ".join(f'o{i}: Out[{type_}, "n"]' for i, _ in enumerate(operations))
    lines = []
    for i, o in enumerate(operations):
        divisor = "max(b[i], 1)" if o.symbol in ("//", "%") else "b[i]"
        lines.append(f"        o{i}[i] = a[i] {o.symbol} {divisor}")
    both = f'a: Ref[{type_}, "n"], b: Ref[{type_}, "n"]'
    all_of_them = kernel("\n".join([f"def k({outs}, {both}):", "    for i in parallel(n):", *lines]))
    given = pairs(type_)
    given |= {f"o{i}": np.zeros_like(given["a"]) for i, _ in enumerate(operations)}
    agree(all_of_them, **given)


@pytest.mark.parametrize("type_", INTEGERS + FLOATS)
def test_comparisons(type_: str, agree: Any) -> None:
    bits = " + ".join(f"({1 << i} if a[i] {o.symbol} b[i] else 0)" for i, o in enumerate(COMPARISONS))
    given = pairs(type_)
    agree(elementwise(bits, "i64", a=type_, b=type_), out=np.zeros(len(given["a"]), np.int64), **given)


@pytest.mark.parametrize("type_", INTEGERS + FLOATS)
def test_min_max_negation_abs(type_: str, agree: Any) -> None:
    outs = ", ".join(f'{o}: Out[{type_}, "n"]' for o in ("low", "high", "minus", "size"))
    k = kernel(f"""
        def k({outs}, a: Ref[{type_}, "n"], b: Ref[{type_}, "n"]):
            for i in parallel(n):
                low[i] = min(a[i], b[i])
                high[i] = max(a[i], b[i])
                minus[i] = -a[i]
                size[i] = abs(a[i])
        """)
    given = pairs(type_)
    agree(k, **given, **{o: np.zeros_like(given["a"]) for o in ("low", "high", "minus", "size")})


@pytest.mark.parametrize("type_", FLOATS)
def test_zeros_keep_their_sign_in_min_and_max(type_: str, run: Any) -> None:
    """-0.0 is below 0.0, whichever comes first."""
    k = kernel(f"""
        def k(low: Out[{type_}, "n"], high: Out[{type_}, "n"], a: Ref[{type_}, "n"], b: Ref[{type_}, "n"]):
            for i in parallel(n):
                low[i] = min(a[i], b[i])
                high[i] = max(a[i], b[i])
        """)
    zero = np.zeros(2, NUMPY[type_])
    found = run(k, low=zero, high=zero, a=np.array([0.0, -0.0], zero.dtype), b=np.array([-0.0, 0.0], zero.dtype))
    assert np.signbit(found["low"]).all()
    assert not np.signbit(found["high"]).any()


@pytest.mark.parametrize("source", INTEGERS + FLOATS)
def test_casts(source: str, agree: Any) -> None:
    """Integers wrap, floats become the nearest integer in range towards zero, NaN becomes 0."""
    targets = [t for t in INTEGERS + FLOATS if t != source]
    outs = ", ".join(f'o{t}: Out[{t}, "n"]' for t in targets)
    lines = [f"        o{t}[i] = {t}(a[i])" for t in targets]
    k = kernel("\n".join([f'def k({outs}, a: Ref[{source}, "n"]):', "    for i in parallel(n):", *lines]))
    values = ends(source)
    if source in FLOATS:
        values += [2147483647.0, 2147483648.0, 4294967296.0, -2147483649.0, 9.3e18, 1.9e19, 0.999, -0.999, 1e-30]
    a = np.array(values, NUMPY[source])
    agree(k, a=a, **{f"o{t}": np.zeros(len(a), NUMPY[t]) for t in targets})


@pytest.mark.parametrize("type_", INTEGERS)
def test_powers_wrap(type_: str, agree: Any) -> None:
    a = np.array(ends(type_), NUMPY[type_])
    agree(elementwise("a[i] ** 2 + a[i] ** 3 * a[i] ** 4", type_, a=type_), out=np.zeros_like(a), a=a)


def test_implicit_widening(agree: Any) -> None:
    k = kernel("""
        def k(wide: Out[i64, "n"], real: Out[f64, "n"], a: Ref[i32, "n"], b: Ref[u32, "n"], c: Ref[f32, "n"]):
            for i in parallel(n):
                wide[i] = a[i] + i64(b[i])
                wide[i] = wide[i] + b[i]
                real[i] = c[i] + f64(a[i])
        """)
    a = np.array([-(2**31), 2**31 - 1, -1, 5], np.int32)
    b = np.array([2**32 - 1, 0, 2**31, 5], np.uint32)
    c = np.array([0.1, -0.1, 1e38, 0.0], np.float32)
    agree(k, wide=np.zeros(4, np.int64), real=np.zeros(4), a=a, b=b, c=c)


@pytest.mark.parametrize("type_", INTEGERS)
def test_division_floors(type_: str, run: Any) -> None:
    """Independent of the interpreter: Python's own `//` and `%`."""
    k = kernel(f"""
        def k(q: Out[{type_}, "n"], r: Out[{type_}, "n"], a: Ref[{type_}, "n"]):
            for i in parallel(n):
                q[i] = a[i] // 7
                r[i] = a[i] % 7
        """)
    a = np.array(ends(type_), NUMPY[type_])
    found = run(k, q=np.zeros_like(a), r=np.zeros_like(a), a=a)
    assert found["q"].tolist() == [v // 7 for v in a.tolist()]
    assert found["r"].tolist() == [v % 7 for v in a.tolist()]


def test_plain_division_where_operands_are_proved_non_negative(run: Any) -> None:
    k = kernel("""
        def k(out: Out[i64, "n"]):
            for i in parallel(n):
                out[i] = (i // 3) * 1000 + (i - 5) // 3 * 10 + (i - 5) % 3
        """)
    assert len(k.proved.non_negative) == 1
    found = run(k, out=np.zeros(12, np.int64))["out"]
    assert found.tolist() == [(i // 3) * 1000 + (i - 5) // 3 * 10 + (i - 5) % 3 for i in range(12)]


@pytest.mark.parametrize("type_", INTEGERS)
@pytest.mark.parametrize("symbol", ["<<", ">>"])
def test_shift_counts_are_taken_modulo_the_width(type_: str, symbol: str, agree: Any) -> None:
    """In vectors too, whose instructions take counts as they are."""
    bits = SCALARS[type_].bits
    counts = np.arange(4 * bits + 3).astype(NUMPY[type_])
    counts = counts if type_.startswith("u") else counts - NUMPY[type_](2 * bits)
    a = np.resize(np.array(ends(type_), NUMPY[type_]), len(counts))
    agree(elementwise(f"a[i] {symbol} b[i]", type_, a=type_, b=type_), out=np.zeros_like(a), a=a, b=counts)
