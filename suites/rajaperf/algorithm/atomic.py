"""ATOMIC: contended atomic additions of one to replicas of a counter.

Source: RAJAPerf src/algorithm/ATOMIC.{hpp,cpp}, whose number of replicas is a tuning: that of its GPU variants is used
on every target. The replicas are added up outside of the repetitions, and their sum is the result.
"""

import numpy as np

from kparity.compiler import Atomic, f64, i64, kernel, parallel, require
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

REPLICAS = 4096


@kernel
def atomic(counters: Atomic[f64, "q"], n: i64):
    require(q > 0)
    for i in parallel(n):
        counters[i % q] += 1.0


def reference(counters: Array, n: int) -> None:
    counters += np.bincount(np.arange(n) % counters.size, minlength=counters.size)


def data(n: int, fill: Fill) -> Arguments:
    return {"counters": fill.constant(REPLICAS, 0.0), "n": n}


def random(n: int, rng: np.random.Generator) -> Arguments:
    return {"counters": rng.integers(0, 99, 37).astype(np.float64), "n": n}


def _total(counters: Array) -> Array:
    return np.asarray(counters.sum(keepdims=True))


SPEC = Spec(
    "ATOMIC", program=atomic, reference=reference, data=data, random=random, size=1_000_000, repetitions=50,
    checksum=("counters",), scalars=("counters",), part={"counters": _total}, compared={"counters": _total},
    tolerance=NORMAL, features=("Forall", "Atomic"), rtol=0.0,
    work=lambda n: Work(bytes_read=0, bytes_written=0, bytes_atomic=8 * n, flops=n),
)  # fmt: skip
