"""FIRST_DIFF: first difference of an array. Source: RAJAPerf src/lcals/FIRST_DIFF.{hpp,cpp}; Livermore loop 12."""

import numpy as np

from kparity.compiler import Out, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import TIGHT, Fill


@kernel
def first_diff(x: Out[f64, "n"], y: Ref[f64, "n + 1"]):
    for i in parallel(n):
        x[i] = y[i + 1] - y[i]


def reference(x: Array, y: Array) -> None:
    x[:] = np.diff(y)


def data(n: int, fill: Fill) -> Arguments:
    return {"x": fill.constant(n, 0.0), "y": fill.random(n + 1)}


SPEC = Spec(
    "FIRST_DIFF", program=first_diff, reference=reference, data=data, size=1_000_000, repetitions=2000,
    checksum=("x",), tolerance=TIGHT, features=("Forall",),
    work=lambda n: Work(bytes_read=8 * (n + 1), bytes_written=8 * n, flops=n),
)  # fmt: skip
