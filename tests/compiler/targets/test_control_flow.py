"""Branches, loops, lazy operands, assignments and names, against the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ..interpreter import NUMPY
from ..sources import elementwise, kernel

# Threads make no difference to a body: `cpu` is left to the other files.
pytestmark = pytest.mark.parametrize("target", ["cpu1", pytest.param("cuda", marks=pytest.mark.cuda)])
X = np.array([-2.0, -0.5, 0.0, 0.5, 1.0, 3.0, -7.0, 8.0, 9.0])
N = len(X)


def test_nested_branches(agree: Any) -> None:
    k = kernel("""
        def k(y: Mut[f64, "n"], x: Ref[f64, "n"]):
            for i in parallel(n):
                kind = 0.0
                if x[i] > 0.0:
                    if x[i] > 2.0:
                        kind = 3.0
                    elif x[i] > 0.75:
                        kind = 2.0
                    else:
                        kind = 1.0
                    y[i] += 100.0
                elif not x[i] == 0.0:
                    kind = -1.0
                    y[i] = -y[i]
                y[i] += kind
        """)
    agree(k, y=np.arange(N) * 1.0, x=X)


@pytest.mark.parametrize("header", [
    "range(m)", "range(2, m)", "range(m, 2)", "range(0, m, 3)", "range(m, 0, -1)", "range(m, -1, -2)", "range(5, 5)",
    "range(-3, i)", "range(i, m, 4)", "range(10, i, -3)",
])  # fmt: skip
def test_loops(header: str, agree: Any) -> None:
    k = kernel(f"""
        def k(y: Mut[i64, "n"], m: i64):
            require(0 <= m <= 1000)
            for i in parallel(n):
                for j in {header}:
                    y[i] = y[i] * 31 + j
        """)
    for m in (0, 1, 2, 7):
        agree(k, y=np.arange(5), m=m)


@pytest.mark.parametrize("header", ["range(0, 20, m)", "range(i, 20, m + i)", "range(9, i, m)", "range(-5, i, 2 * m)"])
def test_loops_of_any_positive_step(header: str, agree: Any) -> None:
    k = kernel(f"""
        def k(y: Mut[i64, "n"], m: i64):
            require(1 <= m <= 1000)
            for i in parallel(n):
                for j in {header}:
                    if j == 7:
                        continue
                    y[i] = y[i] * 31 + j
        """)
    for m in (1, 2, 7, 50):
        agree(k, y=np.arange(5), m=m)


def test_loops_in_loops_and_branches(agree: Any) -> None:
    k = kernel("""
        def k(y: Mut[i64, "n"], a: Ref[i64, "n", "m"]):
            for i in parallel(n):
                s = 0
                for j in range(m):
                    if a[i, j] % 2 == 0:
                        for l in range(j):
                            s += a[i, l] * l
                    else:
                        for l in range(m - 1, j, -1):
                            s -= a[i, l]
                y[i] = s
        """)
    agree(k, y=np.zeros(6, np.int64), a=np.random.default_rng(1).integers(-9, 9, (6, 5)))


def test_lazy_operands_guard_accesses(agree: Any) -> None:
    """Each right side would be out of bounds if it were evaluated where the left one decides."""
    k = kernel("""
        def k(y: Out[f64, "n"], x: Ref[f64, "n"]):
            for i in parallel(n):
                y[i] = x[i - 1] if i > 0 else -1.0
                if i + 1 < n and x[i + 1] > 0.0:
                    y[i] += 10.0
                if i == 0 or x[i - 1] < 0.0:
                    y[i] += 100.0
                if i >= 2 and (x[i - 2] > 0.0 or i >= 3 and x[i - 3] > 0.0):
                    y[i] += 1000.0
        """)
    agree(k, y=np.zeros(N), x=X)


def test_lazy_division(agree: Any) -> None:
    k = kernel("""
        def k(y: Out[i64, "n"], d: Ref[i64, "n"]):
            for i in parallel(n):
                y[i] = 100 // d[i] if d[i] > 0 else -1
        """)
    agree(k, y=np.zeros(5, np.int64), d=np.array([0, 3, -2, 0, 7]))


def test_a_store_stays_before_a_conditional_load_of_it(agree: Any) -> None:
    """The load stands under a condition that does not hold; the store does not."""
    k = kernel("""
        def k(y: Mut[f64, "n"], z: Out[f64, "n"], w: Out[f64, "n"], x: Ref[f64, "n"]):
            for i in parallel(n):
                y[i] = 7.0
                z[i] = y[i] if x[i] > 0.0 else 0.0
                y[i] = 8.0
                w[i] = 1.0 if x[i] > 0.0 and y[i] > 7.5 else 2.0
        """)
    agree(k, y=np.zeros(1000), z=np.zeros(1000), w=np.zeros(1000), x=np.resize(X, 1000))


def test_assignments(agree: Any) -> None:
    k = kernel("""
        def k(y: Mut[f64, "n"], z: Mut[f64, "n"], c: Mut[i32, "n"]):
            for i in parallel(n):
                y[i], z[i] = z[i], y[i]
                a, b = y[i], 2.0 * z[i]
                a, b = b, a
                s: f32 = 1
                s += 0.5
                c[i] <<= 2
                c[i] |= 1
                c[i] ^= 8
                c[i] //= 3
                c[i] %= 5
                y[i] = a - b * s
                z[i] *= 2.0
                z[i] /= 4.0
        """)
    agree(k, y=X, z=X[::-1].copy(), c=np.arange(-4, 5, dtype=np.int32))


def test_chained_comparisons_of_literals_and_values(agree: Any) -> None:
    expression = (
        "(1 if 0.0 < 1.0 < x[i] else 0) + (2 if x[i] < 1.0 < 2.0 else 0) + (4 if -1.0 < x[i] <= 1.0 != 0.5 else 0)"
    )
    agree(elementwise(expression, "i64", x="f64"), out=np.zeros(N, np.int64), x=X)


@pytest.mark.parametrize("type_", ["f64", "f32", "i64", "i32", "u64", "u32"])
def test_choices_between_literals_take_the_type_of_their_use(type_: str, agree: Any) -> None:
    agree(elementwise("1 if x[i] > 0.0 else 0", type_, x="f64"), out=np.zeros(N, NUMPY[type_]), x=X)


def test_scalars_of_every_type(agree: Any) -> None:
    k = kernel("""
        def k(y: Out[f64, "n"], a: f64, b: f32, c: i64, d: i32, e: u64, f: u32):
            for i in parallel(n):
                y[i] = a + f64(b) + f64(c) + f64(d) + f64(e) + f64(f)
        """)
    agree(k, y=np.zeros(3), a=0.5, b=0.25, c=-(2**40), d=-7, e=2**40, f=2**32 - 1)


def test_module_constants(agree: Any) -> None:
    text = """
        def k(y: Out[f64, "n"], z: Mut[i32, COUNT]):
            for i in parallel(n):
                y[i] = SCALE * MANY + (HALF if FLAG else 0.0)
                if i < COUNT:
                    z[i] = COUNT
        """
    k = kernel(text, SCALE=0.5, COUNT=3, MANY=np.int64(4), HALF=np.float64(0.25), FLAG=True)
    agree(k, y=np.zeros(5), z=np.zeros(3, np.int32))


def test_names_in_any_script(agree: Any) -> None:
    k = kernel("""
        def größe(température: Mut[f64, "anzahl"], ß: f64):
            for индекс in parallel(anzahl):
                δ = ß * 2.0
                température[индекс] += δ
        """)
    agree(k, température=np.arange(5.0), ß=1.5)


def test_names_of_the_emitters_own(agree: Any) -> None:
    """Labels and helpers of the generated code do not meet a user's names."""
    k = kernel("""
        def entry(body: Mut[f64, "end"], first: f64, last: i64):
            for row in parallel(end):
                then, v, done = first, body[row], 2.0
                if row < last:
                    body[row] = then + v * done
        """)
    agree(k, body=np.arange(6.0), first=1.0, last=3)
