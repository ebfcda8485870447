"""MVT: one matrix times a vector, and its transpose scaled by another.

Source: RAJAPerf src/polybench/POLYBENCH_MVT.{hpp,cpp}; PolyBench.

RAJAPerf's second product takes y2 at the index of the result, so x2[i] is y2[i] times the sum of column i; PolyBench's
takes it at the index that is summed over.
"""

import numpy as np

from kparity.compiler import Out, Ref, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, square_side


@kernel
def multiply(x1: Out[f64, "n"], a: Ref[f64, "n", "n"], y1: Ref[f64, "n"]):
    for i in parallel(n):
        dot = 0.0
        for j in range(n):
            dot += a[i, j] * y1[j]
        x1[i] = dot


@kernel
def add_columns(x2: Out[f64, "n"], a: Ref[f64, "n", "n"], y2: Ref[f64, "n"]):
    for i in parallel(n):
        dot = 0.0
        for j in range(n):
            dot += a[j, i] * y2[i]
        x2[i] = dot


@program
def mvt(
    y1: Ref[f64, "n"],
    y2: Ref[f64, "n"],
    a: Ref[f64, "n", "n"],
    x1: Out[f64, "n"],
    x2: Out[f64, "n"],
):
    multiply(x1, a, y1)
    add_columns(x2, a, y2)


def reference(y1: Array, y2: Array, a: Array, x1: Array, x2: Array) -> None:
    np.matmul(a, y1, out=x1)
    np.multiply(np.sum(a, axis=0), y2, out=x2)


def data(size: int, fill: Fill) -> Arguments:
    n = square_side(size)
    return {
        "y1": fill.ramp(n), "y2": fill.ramp(n), "a": fill.ramp((n, n)),
        "x1": fill.constant(n, 0.0), "x2": fill.constant(n, 0.0),
    }  # fmt: skip


def work(size: int) -> Work:
    n = square_side(size)
    return Work(bytes_read=2 * 8 * (n * n + n), bytes_written=2 * 8 * n, flops=4 * n * n)


SPEC = Spec(
    "MVT", program=mvt, reference=reference, data=data, size=1_000_000, repetitions=100,
    actual_size=lambda size: square_side(size) ** 2,
    checksum=("x1", "x2"), tolerance=NORMAL, features=("Kernel",), work=work,
)  # fmt: skip
