"""TRIAD: a = b + alpha c. Source: RAJAPerf src/stream/TRIAD.{hpp,cpp}; McCalpin's STREAM."""

import numpy as np

from kparity.compiler import Out, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import TIGHT, Fill


@kernel
def triad(a: Out[f64, "n"], b: Ref[f64, "n"], c: Ref[f64, "n"], alpha: f64):
    for i in parallel(n):
        a[i] = b[i] + alpha * c[i]


def reference(a: Array, b: Array, c: Array, alpha: float) -> None:
    np.multiply(c, alpha, out=a)
    np.add(a, b, out=a)


def data(n: int, fill: Fill) -> Arguments:
    return {"a": fill.constant(n, 0.0), "b": fill.ramp(n), "c": fill.ramp(n), "alpha": fill.scalar()}


SPEC = Spec(
    "TRIAD", program=triad, reference=reference, data=data, size=1_000_000, repetitions=1000,
    checksum=("a",), tolerance=TIGHT, features=("Forall",),
    work=lambda n: Work(bytes_read=16 * n, bytes_written=8 * n, flops=2 * n),
)  # fmt: skip
