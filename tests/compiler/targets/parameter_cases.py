"""Kernels with structs, tables, packs, layouts and bools as parameters: each runs itself by a function given to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import kparity.compiler as kp

from ..sources import kernel, program

f64, f32, i64, i32 = kp.f64, kp.f32, kp.i64, kp.i32
RNG = np.random.default_rng(7)


def floats(*shape: int) -> np.ndarray[Any, Any]:
    return RNG.random(shape)


@kp.struct
class Gas:
    gamma: f64
    steps: i32
    real: kp.i64


@kp.struct
class Material:
    number: i32
    rho: f64
    gas: Gas
    weight: f32


MATERIAL = Material(3, 0.25, Gas(1.5, 2, 5), 0.5)
STRUCT = """
def k(y: Mut[f64, "n"], m: Material):
    for i in parallel(n - m.gas.real):
        y[i + m.gas.real] = y[i + m.gas.real] * m.rho + m.gas.gamma * f64(m.number - m.gas.steps) + f64(m.weight)
"""

CASES: list[Any] = []


def case(function: Callable[[Any], None]) -> Callable[[Any], None]:
    """Register a case."""
    CASES.append(function)
    return function


@case
def structs(agree: Any) -> None:
    agree(kernel(STRUCT, Material=Material), y=floats(20), m=MATERIAL)


@case
def a_program_passes_structs_and_their_fields(agree: Any) -> None:
    text = (
        "@kernel"
        + STRUCT
        + """
@kernel
def scaled(y: Mut[f64, "n"], a: f64):
    for i in parallel(n):
        y[i] *= a

@program
def p(y: Mut[f64, "n"], m: Material):
    k(y, m)
    scaled(y, m.gas.gamma + 1.0)
"""
    )
    agree(program(text, Material=Material), y=floats(20), m=MATERIAL)


@case
def tables(agree: Any) -> None:
    one = kernel(
        """
        def k(y: Out[f64, "n"], c: Table[f64, 4], d: Table[i32, 2, 3]):
            for i in parallel(n):
                y[i] = c[i % 4] + f64(d[i % 2, 2]) + c[1]
        """
    )
    agree(one, y=floats(11), c=[1.0, 2.5, -3.0, 7.0], d=np.arange(6, dtype=np.int32).reshape(2, 3))


TABLES = {
    "COEFFS": (0.5, -2.0, 8.0, 0.125), "OFFSETS": np.array([3, 1, 2], np.int32), "GRID": np.arange(6.0).reshape(2, 3),
    "ODD": np.array([False, True]),
}  # fmt: skip


@case
def tables_of_the_module(agree: Any) -> None:
    one = kernel(
        """
        def k(y: Mut[f64, "n + 3"], x: Ref[f64, "n"]):
            for i in parallel(n):
                s = COEFFS[i % 4] * x[i]
                for j in range(3):
                    s += GRID[i % 2, j] * COEFFS[j]
                if ODD[i % 2]:
                    s += 100.0
                y[i + i64(OFFSETS[1])] = s + GRID[1, 2]
        """,
        **TABLES,
    )
    agree(one, y=floats(14), x=floats(11))


@case
def an_index_out_of_a_table_of_the_module_is_in_bounds_by_its_values(agree: Any) -> None:
    """What the numbers of a table are is known: here that 3 is the largest."""
    one = kernel(
        """
        def k(y: Out[f64, "n"], x: Ref[f64, "n + 3"]):
            for i in parallel(n):
                y[i] = x[i + i64(OFFSETS[i % 3])]
        """,
        **TABLES,
    )
    agree(one, y=floats(8), x=floats(11))


@case
def packs(agree: Any) -> None:
    one = kernel(
        """
        def k(ys: Pack[Mut[f64, "n"], 2], xs: Pack[Ref[f64, "n"], 3], last: i64):
            for i in parallel(n):
                s = 0.0
                for m in range(3):
                    s += xs[m][i]
                ys[0][i] += s
                ys[1][i] = xs[min(max(last, 0), 2)][i]
        """
    )
    agree(one, ys=[floats(9), floats(9)], xs=[floats(9) for _ in range(3)], last=1)


@case
def packs_whose_members_differ(agree: Any) -> None:
    one = kernel(
        """
        def k(ys: Pack[Mut[f64, "n[]"], 3], xs: Pack[Ref[f64, "n[]", "m"], 3], most: i64):
            for i in parallel(most):
                for b in range(3):
                    if i < n[b]:
                        ys[b][i] += xs[b][i, m - 1] + f64(b)
        """
    )
    sizes = (4, 0, 7)
    agree(one, ys=[floats(s) for s in sizes], xs=[floats(s, 2) for s in sizes], most=9)


@case
def threads_of_different_members(agree: Any) -> None:
    one = kernel(
        """
        def k(ys: Pack[Out[f64, "n"], 4], x: Ref[f64, "n"]):
            for b, i in parallel(4, n):
                ys[b][i] = x[i] * f64(b)
        """
    )
    agree(one, ys=[floats(6) for _ in range(4)], x=floats(6))


@case
def programs_pass_packs_and_tables(agree: Any) -> None:
    one = program(
        """
        @kernel
        def k(ys: Pack[Mut[f64, "n[]"], 2], c: Table[f64, 2]):
            for b in parallel(2):
                for i in range(n[b]):
                    ys[b][i] += c[b]

        @program
        def p(same: Pack[Mut[f64, "m"], 2], own: Pack[Mut[f64, "n[]"], 2], c: Table[f64, 2]):
            k(same, c)
            k(own, c)
            k(same, c)
        """
    )
    agree(one, same=[floats(3), floats(3)], own=[floats(5), floats(2)], c=(0.5, 0.25))


@case
def layouts(agree: Any) -> None:
    one = kernel(
        """
        def k(y: Out[f64, "n", "m", layout(1, 0)], x: Ref[f64, "n", "m"], z: Mut[f64, "n", "m", "k", layout(2, 0, 1)]):
            for i, j in parallel(n, m):
                y[i, j] = x[i, j]
                for l in range(k):
                    z[i, j, l] += x[i, j] * f64(l)
        """
    )
    z = floats(2, 3, 4).transpose(1, 2, 0)
    agree(one, y=np.asfortranarray(np.zeros((3, 4))), x=floats(3, 4), z=z)


@case
def bools(agree: Any) -> None:
    one = kernel(
        """
        def k(mask: Mut[bool, "n"], y: Mut[f64, "n"], flip: bool, x: Ref[f64, "n"]):
            for i in parallel(n):
                old = mask[i]
                if old and not flip:
                    y[i] = x[i]
                mask[i] = x[i] > 0.5 if flip else not old
        """
    )
    for flip in (False, True):
        agree(one, mask=RNG.random(9) > 0.5, y=floats(9), flip=flip, x=floats(9))


@case
def more_than_a_launch_takes(agree: Any) -> None:
    """6 KB by value: on a GPU they go through its memory."""
    one = kernel(
        """
        def k(y: Mut[f64, "n"], c: Table[f64, 700], m: Material, xs: Pack[Ref[f64, "n[]"], 40], total: Sum[f64]):
            for i in parallel(n[39]):
                s = m.rho + c[i % 700]
                for a in range(40):
                    if i < n[a]:
                        s += xs[a][i]
                total += s
        """.replace('y: Mut[f64, "n"], ', ""),
        Material=Material,
    )
    xs = [np.arange(1.0 + a % 7) for a in range(40)]
    agree(one, c=np.arange(700.0), m=MATERIAL, xs=xs, total=np.zeros(1))
