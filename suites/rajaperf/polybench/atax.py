"""ATAX: y = A^T (A x). Source: RAJAPerf src/polybench/POLYBENCH_ATAX.{hpp,cpp}; PolyBench."""

import numpy as np

from kparity.compiler import Mut, Out, Ref, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, square_side


@kernel
def multiply(y: Out[f64, "n"], tmp: Out[f64, "n"], a: Ref[f64, "n", "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = 0.0
        dot = 0.0
        for j in range(n):
            dot += a[i, j] * x[j]
        tmp[i] = dot


@kernel
def add_transposed(y: Mut[f64, "n"], a: Ref[f64, "n", "n"], tmp: Ref[f64, "n"]):
    for j in parallel(n):
        dot = y[j]
        for i in range(n):
            dot += a[i, j] * tmp[i]
        y[j] = dot


@program
def atax(tmp: Out[f64, "n"], x: Ref[f64, "n"], a: Ref[f64, "n", "n"], y: Out[f64, "n"]):
    multiply(y, tmp, a, x)
    add_transposed(y, a, tmp)


def reference(tmp: Array, x: Array, a: Array, y: Array) -> None:
    np.matmul(a, x, out=tmp)
    np.matmul(a.T, tmp, out=y)


def data(size: int, fill: Fill) -> Arguments:
    n = square_side(size)
    return {"tmp": fill.ramp(n), "x": fill.ramp(n), "a": fill.ramp((n, n)), "y": fill.constant(n, 0.0)}


def work(size: int) -> Work:
    # y is stored by both kernels, and loaded by the second.
    n = square_side(size)
    return Work(bytes_read=2 * 8 * n * n + 3 * 8 * n, bytes_written=3 * 8 * n, flops=4 * n * n)


SPEC = Spec(
    "ATAX", program=atax, reference=reference, data=data, size=1_000_000, repetitions=100,
    actual_size=lambda size: square_side(size) ** 2,
    checksum=("y",), tolerance=NORMAL, features=("Kernel",), work=work,
)  # fmt: skip
