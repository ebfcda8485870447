"""MEMCPY: copy of an array. Source: RAJAPerf src/algorithm/MEMCPY.{hpp,cpp}."""

import numpy as np

from kparity.compiler import Out, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import ZERO, Fill


@kernel
def memcpy(x: Ref[f64, "n"], y: Out[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i]


def reference(x: Array, y: Array) -> None:
    np.copyto(y, x)


def data(n: int, fill: Fill) -> Arguments:
    # RAJAPerf copies zeros, whose checksum is zero wherever they come from: the element-wise test is the judge here.
    return {"x": fill.constant(n, 0.0), "y": fill.constant(n, -1.234567e89)}


SPEC = Spec(
    "MEMCPY", program=memcpy, reference=reference, data=data, size=1_000_000, repetitions=100,
    checksum=("y",), tolerance=ZERO, features=("Forall",), rtol=0.0,
    work=lambda n: Work(bytes_read=8 * n, bytes_written=8 * n, flops=0),
)  # fmt: skip
