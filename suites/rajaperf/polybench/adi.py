"""ADI: one alternating-direction implicit time step of the heat equation in a square.

Source: RAJAPerf src/polybench/POLYBENCH_ADI.{hpp,cpp}; PolyBench.

Each half step solves one tridiagonal system a line, implicit along one direction and explicit along the other: first
for the columns of v from u, then for the rows of u from v. An unknown is p times its successor plus q.
"""

import numpy as np

from kparity.compiler import Mut, Ref, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, square_side


@kernel
def solve_columns(
    u: Ref[f64, "n", "n"],
    v: Mut[f64, "n", "n"],
    p: Mut[f64, "n", "n"],
    q: Mut[f64, "n", "n"],
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    f: f64,
):
    for i in parallel((1, n - 1)):
        v[0, i] = 1.0
        p[i, 0] = 0.0
        q[i, 0] = v[0, i]
        for j in range(1, n - 1):
            p[i, j] = -c / (a * p[i, j - 1] + b)
            q[i, j] = (-d * u[j, i - 1] + (1.0 + 2.0 * d) * u[j, i] - f * u[j, i + 1] - a * q[i, j - 1]) / (
                a * p[i, j - 1] + b
            )
        v[n - 1, i] = 1.0
        for k in range(n - 2, 0, -1):
            v[k, i] = p[i, k] * v[k + 1, i] + q[i, k]


@kernel
def solve_rows(
    u: Mut[f64, "n", "n"],
    v: Ref[f64, "n", "n"],
    p: Mut[f64, "n", "n"],
    q: Mut[f64, "n", "n"],
    a: f64,
    c: f64,
    d: f64,
    e: f64,
    f: f64,
):
    for i in parallel((1, n - 1)):
        u[i, 0] = 1.0
        p[i, 0] = 0.0
        q[i, 0] = u[i, 0]
        for j in range(1, n - 1):
            p[i, j] = -f / (d * p[i, j - 1] + e)
            q[i, j] = (-a * v[i - 1, j] + (1.0 + 2.0 * a) * v[i, j] - c * v[i + 1, j] - d * q[i, j - 1]) / (
                d * p[i, j - 1] + e
            )
        u[i, n - 1] = 1.0
        for k in range(n - 2, 0, -1):
            u[i, k] = p[i, k] * u[i, k + 1] + q[i, k]


@program
def adi(
    u: Mut[f64, "n", "n"],
    v: Mut[f64, "n", "n"],
    p: Mut[f64, "n", "n"],
    q: Mut[f64, "n", "n"],
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    e: f64,
    f: f64,
):
    solve_columns(u, v, p, q, a, b, c, d, f)
    solve_rows(u, v, p, q, a, c, d, e, f)


def solve(lines: Array, right: Array, p: Array, q: Array, lower: float, diagonal: float, upper: float) -> None:
    """Solve lower x[k-1] + diagonal x[k] + upper x[k+1] = right[k-1] for each column x of `lines`, whose ends are 1.

    Parameters
    ----------
    lines : (n, m) float64
        Receives the solutions, ends included.
    right : (n - 2, m) float64
    p, q : (m, n) float64
        Receive the coefficients of x[k] = p[k] x[k+1] + q[k] for k < n - 1.
    """
    n = len(lines)
    p[:, 0], q[:, 0] = 0.0, 1.0
    for k in range(1, n - 1):
        pivot = diagonal + lower * p[0, k - 1]
        p[:, k] = -upper / pivot
        q[:, k] = (right[k - 1] - lower * q[:, k - 1]) / pivot
    lines[0] = lines[n - 1] = 1.0
    for k in range(n - 2, 0, -1):
        lines[k] = q[:, k] + p[:, k] * lines[k + 1]


def reference(
    u: Array, v: Array, p: Array, q: Array, a: float, b: float, c: float, d: float, e: float, f: float
) -> None:
    """Take one step of Peaceman and Rachford (1955): half implicit along columns, half along rows."""
    for new, old, implicit, before, after in ((v, u.T, (a, b, c), d, f), (u.T, v, (d, e, f), a, c)):
        middle = old[1:-1, 1:-1]
        right = middle + before * (2.0 * middle - old[:-2, 1:-1]) - after * old[2:, 1:-1]
        solve(new[:, 1:-1], right.T, p[1:-1], q[1:-1], *implicit)


def side(size: int) -> int:
    return square_side(size, boundary=2)


def data(size: int, fill: Fill) -> Arguments:
    n = side(size)
    arrays = {"u": fill.constant((n, n), 0.0)} | {name: fill.ramp((n, n)) for name in ("v", "p", "q")}
    dx = dy = 1.0 / n
    dt = 1.0 / 4
    mul1 = 2.0 * dt / (dx * dx)
    mul2 = 1.0 * dt / (dy * dy)
    a = c = -mul1 / 2.0
    d = f = -mul2 / 2.0
    return arrays | {"a": a, "b": 1.0 + mul1, "c": c, "d": d, "e": 1.0 + mul2, "f": f}


def random(size: int, rng: np.random.Generator) -> Arguments:
    # RAJAPerf's coefficients grow with n^2, and noise's rounding errors with them; and two pairs of them are equal, so
    # that a swap goes unseen. These differ, and are dominated by the diagonal however large n is.
    n = side(size)
    arrays: Arguments = {name: rng.uniform(-1.0, 1.0, (n, n)) for name in ("u", "v", "p", "q")}
    a, c, d, f = (float(off) for off in rng.uniform(-1.0, -0.2, 4))
    b, e = 1.0 - a - c, 1.0 - d - f
    return arrays | {"a": a, "b": b, "c": c, "d": d, "e": e, "f": f}


def work(size: int) -> Work:
    # Of a half step: a field is read but for its first and last row or column; p and q are stored from their first
    # element and, as RAJAPerf counts, read from their second; the other field is stored with both ends.
    n = side(size)
    m = n - 2
    read = m * n + 2 * m * m
    written = m * n + 2 * m * (n - 1)
    return Work(bytes_read=2 * 8 * read, bytes_written=2 * 8 * written, flops=2 * 15 * m * m)


SPEC = Spec(
    "ADI", program=adi, reference=reference, data=data, random=random, size=1_000_000, repetitions=16,
    actual_size=lambda size: (side(size) - 2) ** 2,
    checksum=("u",), tolerance=NORMAL, features=("Kernel",), work=work,
    work_differs="RAJAPerf takes 1 + 2d as known, and counts only part of what a launch stores and then reads",
)  # fmt: skip
