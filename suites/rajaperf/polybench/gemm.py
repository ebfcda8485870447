"""GEMM: C = alpha A B. Source: RAJAPerf src/polybench/POLYBENCH_GEMM.{hpp,cpp}; PolyBench.

As in RAJAPerf, beta scales C before the product overwrites it.
"""

import numpy as np

from kparity.compiler import Mut, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, square_side


@kernel
def gemm(
    a: Ref[f64, "ni", "nk"],
    b: Ref[f64, "nk", "nj"],
    c: Mut[f64, "ni", "nj"],
    alpha: f64,
    beta: f64,
):
    for i, j in parallel(ni, nj):
        c[i, j] *= beta
        dot = 0.0
        for k in range(nk):
            dot += alpha * a[i, k] * b[k, j]
        c[i, j] = dot


def reference(a: Array, b: Array, c: Array, alpha: float, beta: float) -> None:
    np.matmul(alpha * a, b, out=c)


def extents(size: int) -> tuple[int, int]:
    """Return the side of C, and the extent that is summed over."""
    n = square_side(size)
    return n, int(1200 / 1000.0 * n)


def data(size: int, fill: Fill) -> Arguments:
    n, nk = extents(size)
    arrays = {"a": fill.ramp((n, nk)), "b": fill.ramp((nk, n)), "c": fill.constant((n, n), 0.0)}
    return arrays | {"alpha": 0.62, "beta": 1.002}


def work(size: int) -> Work:
    # RAJAPerf counts the scaling as an operation, but not as traffic: what it stores is overwritten.
    n, nk = extents(size)
    return Work(bytes_read=2 * 8 * n * nk, bytes_written=8 * n * n, flops=n * n + 3 * n * n * nk)


SPEC = Spec(
    "GEMM", program=gemm, reference=reference, data=data, size=1_000_000, repetitions=4,
    actual_size=lambda size: square_side(size) ** 2,
    checksum=("c",), tolerance=NORMAL, features=("Kernel",), work=work,
    work_differs="RAJAPerf does not count that c is read to be scaled, as the product replaces it",
)  # fmt: skip
