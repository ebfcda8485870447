"""HISTOGRAM: how many elements are in each bin. Source: RAJAPerf src/algorithm/HISTOGRAM.{hpp,cpp}."""

import numpy as np

from kparity.compiler import Ref, Sum, i64, kernel, parallel, program, u64
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import ZERO, Fill, bin_numbers

BINS = 10


@kernel
def count(counts: Sum[u64, "m"], bins: Ref[i64, "n"]):
    for i in parallel(n):
        counts[bins[i]] += 1


@program
def histogram(counts: Sum[u64, "m"], bins: Ref[i64, "n"]):
    counts.fill(0)
    count(counts, bins)


def reference(counts: Array, bins: Array) -> None:
    counts[:] = np.bincount(bins, minlength=counts.size)


def data(n: int, fill: Fill) -> Arguments:
    bins = bin_numbers(n, BINS, fill)
    return {"counts": fill.constant(BINS, 0.0).astype(np.uint64), "bins": bins}


def random(n: int, rng: np.random.Generator) -> Arguments:
    return {"counts": rng.integers(0, 9, 17, np.uint64), "bins": rng.integers(0, 17, n)}


SPEC = Spec(
    "HISTOGRAM", program=histogram, reference=reference, data=data, random=random, size=1_000_000, repetitions=50,
    checksum=("counts",), tolerance=ZERO, features=("Forall", "Atomic"), rtol=0.0,
    work=lambda n: Work(bytes_read=8 * n, bytes_written=0, bytes_atomic=8 * BINS, flops=0),
    work_differs="RAJAPerf leaves out that the bins are set to zero",
)  # fmt: skip
