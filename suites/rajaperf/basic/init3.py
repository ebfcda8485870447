"""INIT3: three arrays become minus the sum of two others. Source: RAJAPerf src/basic/INIT3.{hpp,cpp}."""

import numpy as np

from kparity.compiler import Out, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def init3(
    out1: Out[f64, "n"],
    out2: Out[f64, "n"],
    out3: Out[f64, "n"],
    in1: Ref[f64, "n"],
    in2: Ref[f64, "n"],
):
    for i in parallel(n):
        value = -in1[i] - in2[i]
        out1[i] = value
        out2[i] = value
        out3[i] = value


def reference(out1: Array, out2: Array, out3: Array, in1: Array, in2: Array) -> None:
    np.negative(in1 + in2, out=out1)
    out2[:] = out1
    out3[:] = out1


def data(n: int, fill: Fill) -> Arguments:
    return {
        "out1": fill.constant(n, 0.0), "out2": fill.constant(n, 0.0), "out3": fill.constant(n, 0.0),
        "in1": fill.ramp(n), "in2": fill.ramp(n),
    }  # fmt: skip


# RAJAPerf counts the subtraction and not the change of sign: one operation an element.
SPEC = Spec(
    "INIT3", program=init3, reference=reference, data=data, size=1_000_000, repetitions=500,
    checksum=("out1", "out2", "out3"), tolerance=NORMAL, features=("Forall",),
    work=lambda n: Work(bytes_read=16 * n, bytes_written=24 * n, flops=n),
)  # fmt: skip
