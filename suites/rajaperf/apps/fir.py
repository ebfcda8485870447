"""FIR: finite impulse response filter with 16 taps. Source: RAJAPerf src/apps/FIR.{hpp,cpp}.

Every fifth coefficient is 3, the others are -1. They are constants of the code, as in RAJAPerf's sequential variant,
whose GPU variants keep them in constant memory.
"""

import numpy as np

from kparity.compiler import Out, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

TAPS = 16


@kernel
def fir(input: Ref[f64, "n + TAPS - 1"], output: Out[f64, "n"]):
    for i in parallel(n):
        total = 0.0
        for j in range(TAPS):
            coefficient = 3.0 if j % 5 == 0 else -1.0
            total += coefficient * input[i + j]
        output[i] = total


def reference(input: Array, output: Array) -> None:
    coefficients = np.full(TAPS, -1.0)
    coefficients[::5] = 3.0
    output[:] = np.correlate(input, coefficients)


def data(n: int, fill: Fill) -> Arguments:
    return {"input": fill.random(n + TAPS - 1), "output": fill.constant(n, 0.0)}


# RAJAPerf counts the coefficients as read from memory, once a repetition.
SPEC = Spec(
    "FIR", program=fir, reference=reference, data=data, size=1_000_000, repetitions=160,
    checksum=("output",), tolerance=NORMAL, features=("Forall",),
    work=lambda n: Work(bytes_read=8 * (n + TAPS - 1) + 8 * TAPS, bytes_written=8 * n, flops=2 * TAPS * n),
    work_differs="RAJAPerf reads the coefficients from an array; here they are constants of the code",
)  # fmt: skip
