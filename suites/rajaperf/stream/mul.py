"""MUL: b = alpha c. Source: RAJAPerf src/stream/MUL.{hpp,cpp}; McCalpin's STREAM ("scale")."""

import numpy as np

from kparity.compiler import Out, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import TIGHT, Fill


@kernel
def mul(b: Out[f64, "n"], c: Ref[f64, "n"], alpha: f64):
    for i in parallel(n):
        b[i] = alpha * c[i]


def reference(b: Array, c: Array, alpha: float) -> None:
    np.multiply(c, alpha, out=b)


def data(n: int, fill: Fill) -> Arguments:
    return {"b": fill.constant(n, 0.0), "c": fill.ramp(n), "alpha": fill.scalar()}


SPEC = Spec(
    "MUL", program=mul, reference=reference, data=data, size=1_000_000, repetitions=1800,
    checksum=("b",), tolerance=TIGHT, features=("Forall",),
    work=lambda n: Work(bytes_read=8 * n, bytes_written=8 * n, flops=n),
)  # fmt: skip
