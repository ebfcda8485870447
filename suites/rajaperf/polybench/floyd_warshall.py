"""FLOYD_WARSHALL: every pair's path is compared with the one through node k, for each k in turn.

Source: RAJAPerf src/polybench/POLYBENCH_FLOYD_WARSHALL.{hpp,cpp}; PolyBench.

RAJAPerf reads one matrix and writes another, and never swaps them: each k overwrites what the one before it stored.
"""

import numpy as np

from kparity.compiler import Out, Ref, f64, i64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import TIGHT, Fill, square_side


@kernel
def relax(pin: Ref[f64, "n", "n"], pout: Out[f64, "n", "n"], k: i64):
    for i, j in parallel(n, n):
        through = pin[i, k] + pin[k, j]
        pout[i, j] = pin[i, j] if pin[i, j] < through else through


@program
def floyd_warshall(pin: Ref[f64, "n", "n"], pout: Out[f64, "n", "n"]):
    for k in range(n):
        relax(pin, pout, k)


def reference(pin: Array, pout: Array) -> None:
    """Go through the last node: what the others gave is overwritten."""
    np.minimum(pin, np.add.outer(pin[:, -1], pin[-1]), out=pout)


def data(size: int, fill: Fill) -> Arguments:
    n = square_side(size)
    return {"pin": fill.random_sign(n * n).reshape(n, n), "pout": fill.constant((n, n), 0.0)}


def work(size: int) -> Work:
    # RAJAPerf counts the comparison as half an operation.
    n = square_side(size)
    return Work(bytes_read=8 * n**3, bytes_written=8 * n**3, flops=3 * n**3 // 2)


SPEC = Spec(
    "FLOYD_WARSHALL", program=floyd_warshall, reference=reference, data=data, size=1_000_000, repetitions=8,
    actual_size=lambda size: square_side(size) ** 2,
    checksum=("pout",), tolerance=TIGHT, features=("Kernel",), work=work,
    work_differs="RAJAPerf counts the comparison as half an operation",
)  # fmt: skip
