"""MULTI_REDUCE: the sum of the elements in each bin. Source: RAJAPerf src/basic/MULTI_REDUCE.{hpp,cpp}."""

import numpy as np

from kparity.compiler import Ref, Sum, f64, i64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, bin_numbers

BINS = 10


@kernel
def add(values: Sum[f64, "m"], bins: Ref[i64, "n"], data: Ref[f64, "n"]):
    for i in parallel(n):
        values[bins[i]] += data[i]


@program
def multi_reduce(values: Sum[f64, "m"], bins: Ref[i64, "n"], data: Ref[f64, "n"]):
    values.fill(0.0)
    add(values, bins, data)


def reference(values: Array, bins: Array, data: Array) -> None:
    values[:] = np.bincount(bins, weights=data, minlength=values.size)


def data(n: int, fill: Fill) -> Arguments:
    numbers = fill.random(n)
    bins = bin_numbers(n, BINS, fill)
    return {"values": fill.constant(BINS, 0.0), "bins": bins, "data": numbers}


def random(n: int, rng: np.random.Generator) -> Arguments:
    return {"values": rng.random(17), "bins": rng.integers(0, 17, n), "data": rng.uniform(-0.2, 1.0, n)}


SPEC = Spec(
    "MULTI_REDUCE", program=multi_reduce, reference=reference, data=data, random=random, size=1_000_000,
    repetitions=50, checksum=("values",), tolerance=NORMAL, features=("Forall", "Atomic"),
    work=lambda n: Work(bytes_read=16 * n, bytes_written=0, bytes_atomic=8 * BINS, flops=n),
    work_differs="RAJAPerf leaves out that the bins are set to zero",
)  # fmt: skip
