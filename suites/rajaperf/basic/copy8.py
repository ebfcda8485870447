"""COPY8: eight independent copies in one loop. Source: RAJAPerf src/basic/COPY8.{hpp,cpp}."""

from kparity.compiler import Out, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import ZERO, Fill


@kernel
def copy8(
    y0: Out[f64, "n"],
    y1: Out[f64, "n"],
    y2: Out[f64, "n"],
    y3: Out[f64, "n"],
    y4: Out[f64, "n"],
    y5: Out[f64, "n"],
    y6: Out[f64, "n"],
    y7: Out[f64, "n"],
    x0: Ref[f64, "n"],
    x1: Ref[f64, "n"],
    x2: Ref[f64, "n"],
    x3: Ref[f64, "n"],
    x4: Ref[f64, "n"],
    x5: Ref[f64, "n"],
    x6: Ref[f64, "n"],
    x7: Ref[f64, "n"],
):
    for i in parallel(n):
        y0[i] = x0[i]
        y1[i] = x1[i]
        y2[i] = x2[i]
        y3[i] = x3[i]
        y4[i] = x4[i]
        y5[i] = x5[i]
        y6[i] = x6[i]
        y7[i] = x7[i]


def reference(**arrays: Array) -> None:
    for k in range(8):
        arrays[f"y{k}"][:] = arrays[f"x{k}"]


def data(n: int, fill: Fill) -> Arguments:
    copies = {f"y{k}": fill.constant(n, 0.0) for k in range(8)}
    return copies | {f"x{k}": fill.ramp(n) for k in range(8)}


SPEC = Spec(
    "COPY8", program=copy8, reference=reference, data=data, size=1_000_000, repetitions=50,
    checksum=tuple(f"y{k}" for k in range(8)), tolerance=ZERO, features=("Forall",), rtol=0.0,
    work=lambda n: Work(bytes_read=8 * 8 * n, bytes_written=8 * 8 * n, flops=0),
)  # fmt: skip
