"""MEMSET: every element of an array becomes a given value. Source: RAJAPerf src/algorithm/MEMSET.{hpp,cpp}."""

import numpy as np

from kparity.compiler import Out, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import ZERO, Fill


@kernel
def memset(x: Out[f64, "n"], value: f64):
    for i in parallel(n):
        x[i] = value


def reference(x: Array, value: float) -> None:
    x[:] = value


def data(n: int, fill: Fill) -> Arguments:
    return {"x": fill.constant(n, -1.234567e89), "value": 0.0}


def random(n: int, rng: np.random.Generator) -> Arguments:
    # Not zero, which fresh memory may hold and whose checksum is zero.
    return {"x": rng.uniform(-1.0, 1.0, n), "value": rng.uniform(0.5, 1.5)}


SPEC = Spec(
    "MEMSET", program=memset, reference=reference, data=data, random=random, size=1_000_000, repetitions=100,
    checksum=("x",), tolerance=ZERO, features=("Forall",), rtol=0.0,
    work=lambda n: Work(bytes_read=0, bytes_written=8 * n, flops=0),
)  # fmt: skip
