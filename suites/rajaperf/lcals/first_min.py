"""FIRST_MIN: where the first minimum of a vector stands.

Source: RAJAPerf src/lcals/FIRST_MIN.{hpp,cpp}; Livermore loop 24.
"""

import math

import numpy as np

from kparity.compiler import MinLoc, Ref, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import ZERO, Fill

LOCATED = np.dtype([("value", np.float64), ("location", np.int64)])


@kernel
def find(x: Ref[f64, "n"], best: MinLoc[f64]):
    for i in parallel(n):
        best.update(x[i], i)


@program
def first_min(x: Ref[f64, "n"], best: MinLoc[f64]):
    best.fill(math.inf)
    find(x, best)
    best.get()


def reference(x: Array, best: Array) -> None:
    location = np.argmin(x)  # the first one
    best[0] = (x[location], location)


def data(n: int, fill: Fill) -> Arguments:
    x = fill.constant(n, 0.0)
    x[n // 2] = -1e10
    return {"x": x, "best": np.zeros(1, LOCATED)}


def random(n: int, rng: np.random.Generator) -> Arguments:
    # Few values, so that the least one stands at many places.
    x = rng.integers(-max(2, n // 100), 50, n).astype(np.float64)
    return {"x": x, "best": np.zeros(1, LOCATED)}


# RAJAPerf starts from x[0] at 0, which the first contribution is.
SPEC = Spec(
    "FIRST_MIN", program=first_min, reference=reference, data=data, random=random, size=1_000_000, repetitions=100,
    checksum=("best",), scalars=("best",), part={"best": lambda best: best["location"]}, tolerance=ZERO,
    features=("Forall", "Reduction"), rtol=0.0,
    work=lambda n: Work(bytes_read=8 * n, bytes_written=0, flops=0),
)  # fmt: skip
