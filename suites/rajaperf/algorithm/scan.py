"""SCAN: exclusive prefix sums. Source: RAJAPerf src/algorithm/SCAN.{hpp,cpp}."""

import numpy as np

from kparity.compiler import Out, Ref, exclusive_scan, f64, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@program
def scan(x: Ref[f64, "n"], y: Out[f64, "n"]):
    exclusive_scan(y, x)


def reference(x: Array, y: Array) -> None:
    y[:1] = 0.0
    np.cumsum(x[:-1], out=y[1:])


def data(n: int, fill: Fill) -> Arguments:
    return {"x": fill.random(n), "y": fill.constant(n, 0.0)}


SPEC = Spec(
    "SCAN", program=scan, reference=reference, data=data, size=1_000_000, repetitions=100,
    checksum=("y",), tolerance=NORMAL, features=("Scan",),
    work=lambda n: Work(bytes_read=8 * n, bytes_written=8 * n, flops=n),
)  # fmt: skip
