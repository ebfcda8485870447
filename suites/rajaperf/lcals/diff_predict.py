"""DIFF_PREDICT: a table of ten successive differences, updated for each element.

Source: RAJAPerf src/lcals/DIFF_PREDICT.{hpp,cpp}; Livermore loop 10.
"""

import numpy as np

from kparity.compiler import Mut, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def diff_predict(px: Mut[f64, 10, "n"], cx: Ref[f64, "n"]):
    for i in parallel(n):
        e0 = cx[i]
        e1 = e0 - px[0, i]
        px[0, i] = e0
        e2 = e1 - px[1, i]
        px[1, i] = e1
        e3 = e2 - px[2, i]
        px[2, i] = e2
        e4 = e3 - px[3, i]
        px[3, i] = e3
        e5 = e4 - px[4, i]
        px[4, i] = e4
        e6 = e5 - px[5, i]
        px[5, i] = e5
        e7 = e6 - px[6, i]
        px[6, i] = e6
        e8 = e7 - px[7, i]
        px[7, i] = e7
        e9 = e8 - px[8, i]
        px[8, i] = e8
        px[9, i] = e9


def reference(px: Array, cx: Array) -> None:
    """Level k becomes cx less the sum of the old levels below k."""
    below = np.cumsum(px[:-1], axis=0)
    px[0] = cx
    np.subtract(cx, below, out=px[1:])


def data(n: int, fill: Fill) -> Arguments:
    return {"px": fill.constant((10, n), 0.0), "cx": fill.ramp(n)}


# The last level is written and not read.
SPEC = Spec(
    "DIFF_PREDICT", program=diff_predict, reference=reference, data=data, size=1_000_000, repetitions=200,
    checksum=("px",), tolerance=NORMAL, features=("Forall",),
    work=lambda n: Work(bytes_read=10 * 8 * n, bytes_written=10 * 8 * n, flops=9 * n),
)  # fmt: skip
