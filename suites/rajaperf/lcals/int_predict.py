"""INT_PREDICT: integration predictor, a weighted sum over ten levels of a table of thirteen.

Source: RAJAPerf src/lcals/INT_PREDICT.{hpp,cpp}; Livermore loop 9.
"""

import numpy as np

from kparity.compiler import Mut, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

WEIGHTS = ("dm22", "dm23", "dm24", "dm25", "dm26", "dm27", "dm28", "c0")


@kernel
def int_predict(
    px: Mut[f64, 13, "n"],
    dm22: f64,
    dm23: f64,
    dm24: f64,
    dm25: f64,
    dm26: f64,
    dm27: f64,
    dm28: f64,
    c0: f64,
):
    for i in parallel(n):
        px[0, i] = (
            dm28 * px[12, i] + dm27 * px[11, i] + dm26 * px[10, i] + dm25 * px[9, i] + dm24 * px[8, i]
            + dm23 * px[7, i] + dm22 * px[6, i] + c0 * (px[4, i] + px[5, i]) + px[2, i]
        )  # fmt: skip


def reference(px: Array, **weights: float) -> None:
    *dm, c0 = (weights[name] for name in WEIGHTS)
    px[0] = px[2] + c0 * (px[4] + px[5]) + np.array(dm) @ px[6:]


def data(n: int, fill: Fill) -> Arguments:
    return {"px": fill.constant((13, n), 1.0)} | {name: fill.scalar() for name in WEIGHTS}


def random(n: int, rng: np.random.Generator) -> Arguments:
    # RAJAPerf's weights are two numbers in turn: with eight different ones, exchanged weights are seen.
    weights = {name: float(rng.uniform(-1.0, 1.0)) for name in WEIGHTS}
    return {"px": rng.uniform(-1.0, 1.0, (13, n))} | weights


SPEC = Spec(
    "INT_PREDICT", program=int_predict, reference=reference, data=data, random=random, size=1_000_000, repetitions=400,
    checksum=("px",), part={"px": lambda px: px[0]}, tolerance=NORMAL, features=("Forall",),
    work=lambda n: Work(bytes_read=10 * 8 * n, bytes_written=8 * n, flops=17 * n),
)  # fmt: skip
