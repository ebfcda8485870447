"""FIRST_SUM: sum of each element with its left neighbour.

Source: RAJAPerf src/lcals/FIRST_SUM.{hpp,cpp}; Livermore loop 11, without its carried dependence.
"""

import numpy as np

from kparity.compiler import Mut, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import TIGHT, Fill


@kernel
def first_sum(x: Mut[f64, "n"], y: Ref[f64, "n"]):
    for i in parallel((1, n)):
        x[i] = y[i - 1] + y[i]


def reference(x: Array, y: Array) -> None:
    np.add(y[1:], y[:-1], out=x[1:])


def length(size: int) -> int:
    return max(size, 2)


def data(size: int, fill: Fill) -> Arguments:
    n = length(size)
    return {"x": fill.constant(n, 0.0), "y": fill.ramp(n)}


def work(size: int) -> Work:
    n = length(size)
    return Work(bytes_read=8 * n, bytes_written=8 * (n - 1), flops=n - 1)


SPEC = Spec(
    "FIRST_SUM", program=first_sum, reference=reference, data=data, size=1_000_000, repetitions=2000,
    actual_size=length,
    checksum=("x",), tolerance=TIGHT, features=("Forall",), work=work,
)  # fmt: skip
