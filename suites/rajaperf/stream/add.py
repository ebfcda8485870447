"""ADD: c = a + b. Source: RAJAPerf src/stream/ADD.{hpp,cpp}; McCalpin's STREAM."""

import numpy as np

from kparity.compiler import Out, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import TIGHT, Fill


@kernel
def add(a: Ref[f64, "n"], b: Ref[f64, "n"], c: Out[f64, "n"]):
    for i in parallel(n):
        c[i] = a[i] + b[i]


def reference(a: Array, b: Array, c: Array) -> None:
    np.add(a, b, out=c)


def data(n: int, fill: Fill) -> Arguments:
    return {"a": fill.ramp(n), "b": fill.ramp(n), "c": fill.constant(n, 0.0)}


SPEC = Spec(
    "ADD", program=add, reference=reference, data=data, size=1_000_000, repetitions=1000,
    checksum=("c",), tolerance=TIGHT, features=("Forall",),
    work=lambda n: Work(bytes_read=16 * n, bytes_written=8 * n, flops=n),
)  # fmt: skip
