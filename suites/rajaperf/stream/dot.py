"""DOT: total += a . b, summed over all repetitions. Source: RAJAPerf src/stream/DOT.{hpp,cpp}; BabelStream."""

import numpy as np

from kparity.compiler import Ref, Sum, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def add_products(a: Ref[f64, "n"], b: Ref[f64, "n"], total: Sum[f64]):
    for i in parallel(n):
        total += a[i] * b[i]


@program
def dot(a: Ref[f64, "n"], b: Ref[f64, "n"], total: Sum[f64]):
    add_products(a, b, total)
    total.get()


def reference(a: Array, b: Array, total: Array) -> None:
    total[0] += np.dot(a, b)


def data(n: int, fill: Fill) -> Arguments:
    return {"a": fill.ramp(n), "b": fill.ramp(n), "total": np.zeros(1)}


def random(n: int, rng: np.random.Generator) -> Arguments:
    # Mostly positive: the sum is then as large as its terms' magnitudes, so a relative tolerance means something.
    return {"a": rng.uniform(-0.2, 1.0, n), "b": rng.uniform(-0.2, 1.0, n), "total": rng.uniform(1.0, 2.0, 1)}


# The reduced scalar itself, eight bytes a repetition, is in neither RAJAPerf's bytes nor these.
SPEC = Spec(
    "DOT", program=dot, reference=reference, data=data, random=random, size=1_000_000, repetitions=2000,
    checksum=("total",), scalars=("total",), tolerance=NORMAL, features=("Forall", "Reduction"),
    work=lambda n: Work(bytes_read=16 * n, bytes_written=0, flops=2 * n),
)  # fmt: skip
