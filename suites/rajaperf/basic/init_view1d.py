"""INIT_VIEW1D: each element becomes a constant times its index counted from one.

Source: RAJAPerf src/basic/INIT_VIEW1D.{hpp,cpp}.
"""

import numpy as np

from kparity.compiler import Out, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import TIGHT, Fill


@kernel
def init_view1d(a: Out[f64, "n"], v: f64):
    for i in parallel(n):
        a[i] = (i + 1) * v


def reference(a: Array, v: float) -> None:
    np.multiply(np.arange(1.0, len(a) + 1.0), v, out=a)


def data(n: int, fill: Fill) -> Arguments:
    return {"a": fill.constant(n, 0.0), "v": 0.00000123}


SPEC = Spec(
    "INIT_VIEW1D", program=init_view1d, reference=reference, data=data, size=1_000_000, repetitions=2500,
    checksum=("a",), tolerance=TIGHT, features=("Forall", "View"),
    work=lambda n: Work(bytes_read=0, bytes_written=8 * n, flops=n),
)  # fmt: skip
