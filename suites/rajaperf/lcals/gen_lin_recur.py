"""GEN_LIN_RECUR: a linear recurrence local to each element, in a sweep up and a sweep down.

Source: RAJAPerf src/lcals/GEN_LIN_RECUR.{hpp,cpp}; Livermore loop 19.
"""

import numpy as np

from kparity.compiler import Mut, Out, Ref, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def upwards(b5: Out[f64, "n"], stb5: Mut[f64, "n"], sa: Ref[f64, "n"], sb: Ref[f64, "n"]):
    for k in parallel(n):
        old = stb5[k]
        new = sa[k] + old * sb[k]
        b5[k] = new
        stb5[k] = new - old


@kernel
def downwards(b5: Out[f64, "n"], stb5: Mut[f64, "n"], sa: Ref[f64, "n"], sb: Ref[f64, "n"]):
    for i in parallel((1, n + 1)):
        k = n - i
        old = stb5[k]
        new = sa[k] + old * sb[k]
        b5[k] = new
        stb5[k] = new - old


@program
def gen_lin_recur(b5: Out[f64, "n"], stb5: Mut[f64, "n"], sa: Ref[f64, "n"], sb: Ref[f64, "n"]):
    upwards(b5, stb5, sa, sb)
    downwards(b5, stb5, sa, sb)


def reference(b5: Array, stb5: Array, sa: Array, sb: Array) -> None:
    for _ in range(2):
        np.multiply(sb, stb5, out=b5)
        b5 += sa
        np.subtract(b5, stb5, out=stb5)


def data(n: int, fill: Fill) -> Arguments:
    return {"b5": fill.constant(n, 0.0), "stb5": fill.ramp(n), "sa": fill.ramp(n), "sb": fill.ramp(n)}


SPEC = Spec(
    "GEN_LIN_RECUR", program=gen_lin_recur, reference=reference, data=data, size=1_000_000, repetitions=500,
    checksum=("b5",), tolerance=NORMAL, features=("Forall",),
    work=lambda n: Work(bytes_read=2 * 24 * n, bytes_written=2 * 16 * n, flops=2 * 3 * n),
)  # fmt: skip
