"""INIT_VIEW1D_OFFSET: each element becomes a constant times its index, loop and array starting at one.

Source: RAJAPerf src/basic/INIT_VIEW1D_OFFSET.{hpp,cpp}.
"""

import numpy as np

from kparity.compiler import Out, f64, i64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import TIGHT, Fill


@kernel
def init_view1d_offset(a: Out[f64, "1..n + 1"], v: f64, n: i64):
    for i in parallel((1, n + 1)):
        a[i] = i * v


def reference(a: Array, v: float, n: int) -> None:
    np.multiply(np.arange(1.0, n + 1.0), v, out=a)


def data(n: int, fill: Fill) -> Arguments:
    return {"a": fill.constant(n, 0.0), "v": 0.00000123, "n": n}


SPEC = Spec(
    "INIT_VIEW1D_OFFSET", program=init_view1d_offset, reference=reference, data=data, size=1_000_000, repetitions=2500,
    checksum=("a",), tolerance=TIGHT, features=("Forall", "View"),
    work=lambda n: Work(bytes_read=0, bytes_written=8 * n, flops=n),
)  # fmt: skip
