"""GEMVER: A grows by two outer products, then x = beta A^T y + z and w grows by alpha A x.

Source: RAJAPerf src/polybench/POLYBENCH_GEMVER.{hpp,cpp}; PolyBench.
"""

import numpy as np

from kparity.compiler import Mut, Out, Ref, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, square_side


@kernel
def update(
    a: Mut[f64, "n", "n"],
    u1: Ref[f64, "n"],
    v1: Ref[f64, "n"],
    u2: Ref[f64, "n"],
    v2: Ref[f64, "n"],
):
    for i, j in parallel(n, n):
        a[i, j] += u1[i] * v1[j] + u2[i] * v2[j]


@kernel
def multiply_transposed(x: Out[f64, "n"], a: Ref[f64, "n", "n"], y: Ref[f64, "n"], beta: f64):
    for i in parallel(n):
        dot = 0.0
        for j in range(n):
            dot += beta * a[j, i] * y[j]
        x[i] = dot


@kernel
def add(x: Mut[f64, "n"], z: Ref[f64, "n"]):
    for i in parallel(n):
        x[i] += z[i]


@kernel
def multiply_onto(w: Mut[f64, "n"], a: Ref[f64, "n", "n"], x: Ref[f64, "n"], alpha: f64):
    for i in parallel(n):
        dot = w[i]
        for j in range(n):
            dot += alpha * a[i, j] * x[j]
        w[i] = dot


@program
def gemver(
    a: Mut[f64, "n", "n"],
    u1: Ref[f64, "n"],
    v1: Ref[f64, "n"],
    u2: Ref[f64, "n"],
    v2: Ref[f64, "n"],
    w: Mut[f64, "n"],
    x: Out[f64, "n"],
    y: Ref[f64, "n"],
    z: Ref[f64, "n"],
    alpha: f64,
    beta: f64,
):
    update(a, u1, v1, u2, v2)
    multiply_transposed(x, a, y, beta)
    add(x, z)
    multiply_onto(w, a, x, alpha)


def reference(
    a: Array,
    u1: Array,
    v1: Array,
    u2: Array,
    v2: Array,
    w: Array,
    x: Array,
    y: Array,
    z: Array,
    alpha: float,
    beta: float,
) -> None:
    a += np.outer(u1, v1) + np.outer(u2, v2)
    x[:] = beta * (y @ a) + z
    w += alpha * (a @ x)


def data(size: int, fill: Fill) -> Arguments:
    n = square_side(size)
    arrays = {"a": fill.ramp((n, n))} | {name: fill.ramp(n) for name in ("u1", "v1", "u2", "v2")}
    arrays["w"] = fill.constant(n, 0.0)
    return arrays | {name: fill.ramp(n) for name in ("x", "y", "z")} | {"alpha": 1.5, "beta": 1.2}


def work(size: int) -> Work:
    # A is read by three kernels; of the vectors x is stored twice and w once.
    n = square_side(size)
    return Work(bytes_read=8 * (3 * n * n + 9 * n), bytes_written=8 * (n * n + 3 * n), flops=10 * n * n + n)


SPEC = Spec(
    "GEMVER", program=gemver, reference=reference, data=data, size=1_000_000, repetitions=20,
    actual_size=lambda size: square_side(size) ** 2,
    checksum=("w",), tolerance=NORMAL, features=("Forall", "Kernel"), work=work,
)  # fmt: skip
