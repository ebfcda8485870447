"""MULADDSUB: product, sum and difference of two arrays. Source: RAJAPerf src/basic/MULADDSUB.{hpp,cpp}."""

import numpy as np

from kparity.compiler import Out, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import TIGHT, Fill


@kernel
def muladdsub(
    out1: Out[f64, "n"],
    out2: Out[f64, "n"],
    out3: Out[f64, "n"],
    in1: Ref[f64, "n"],
    in2: Ref[f64, "n"],
):
    for i in parallel(n):
        out1[i] = in1[i] * in2[i]
        out2[i] = in1[i] + in2[i]
        out3[i] = in1[i] - in2[i]


def reference(out1: Array, out2: Array, out3: Array, in1: Array, in2: Array) -> None:
    np.multiply(in1, in2, out=out1)
    np.add(in1, in2, out=out2)
    np.subtract(in1, in2, out=out3)


def data(n: int, fill: Fill) -> Arguments:
    return {
        "out1": fill.constant(n, 0.0), "out2": fill.constant(n, 0.0), "out3": fill.constant(n, 0.0),
        "in1": fill.ramp(n), "in2": fill.ramp(n),
    }  # fmt: skip


SPEC = Spec(
    "MULADDSUB", program=muladdsub, reference=reference, data=data, size=1_000_000, repetitions=350,
    checksum=("out1", "out2", "out3"), tolerance=TIGHT, features=("Forall",),
    work=lambda n: Work(bytes_read=16 * n, bytes_written=24 * n, flops=3 * n),
)  # fmt: skip
