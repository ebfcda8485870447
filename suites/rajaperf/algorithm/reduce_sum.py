"""REDUCE_SUM: sum of an array. Source: RAJAPerf src/algorithm/REDUCE_SUM.{hpp,cpp}."""

import numpy as np

from kparity.compiler import Ref, Sum, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def add_elements(x: Ref[f64, "n"], total: Sum[f64]):
    for i in parallel(n):
        total += x[i]


@program
def reduce_sum(x: Ref[f64, "n"], total: Sum[f64]):
    total.fill(0.0)
    add_elements(x, total)
    total.get()


def reference(x: Array, total: Array) -> None:
    total[0] = np.sum(x)


def data(n: int, fill: Fill) -> Arguments:
    return {"x": fill.ramp(n), "total": np.zeros(1)}


def random(n: int, rng: np.random.Generator) -> Arguments:
    # Mostly positive: the sum is then as large as its terms' magnitudes, so a relative tolerance means something.
    return {"x": rng.uniform(-0.2, 1.0, n), "total": rng.uniform(1.0, 2.0, 1)}


# The sum itself, eight bytes a repetition, is in neither RAJAPerf's bytes nor these.
SPEC = Spec(
    "REDUCE_SUM", program=reduce_sum, reference=reference, data=data, random=random, size=1_000_000, repetitions=50,
    checksum=("total",), scalars=("total",), tolerance=NORMAL, features=("Forall", "Reduction"),
    work=lambda n: Work(bytes_read=8 * n, bytes_written=0, flops=n),
)  # fmt: skip
