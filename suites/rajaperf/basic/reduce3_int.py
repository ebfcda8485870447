"""REDUCE3_INT: sum, minimum and maximum of an integer array in one pass.

Source: RAJAPerf src/basic/REDUCE3_INT.{hpp,cpp}.
"""

import numpy as np

from kparity.compiler import Max, Min, Ref, Sum, i32, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def reduce(vec: Ref[i32, "n"], total: Sum[i32], smallest: Min[i32], largest: Max[i32]):
    for i in parallel(n):
        value = vec[i]
        total += value
        smallest.update(value)
        largest.update(value)


@program
def reduce3_int(vec: Ref[i32, "n"], total: Sum[i32], smallest: Min[i32], largest: Max[i32]):
    total.fill(0)
    smallest.fill(2147483647)
    largest.fill(-2147483648)
    reduce(vec, total, smallest, largest)
    total.get()
    smallest.get()
    largest.get()


def reference(vec: Array, total: Array, smallest: Array, largest: Array) -> None:
    total[0] = vec.sum(dtype=np.int32)
    smallest[0] = vec.min()
    largest[0] = vec.max()


def data(n: int, fill: Fill) -> Arguments:
    return {"vec": fill.integers(n)} | {name: np.zeros(1, np.int32) for name in ("total", "smallest", "largest")}


def random(n: int, rng: np.random.Generator) -> Arguments:
    # No partial sum can overflow: what C++ does then is undefined, so there would be nothing to compare.
    bound = 2147483647 // n
    reducers = {name: rng.integers(-9, 9, 1, np.int32) for name in ("total", "smallest", "largest")}
    return {"vec": rng.integers(-bound, bound, n, np.int32, endpoint=True), **reducers}


SPEC = Spec(
    "REDUCE3_INT", program=reduce3_int, reference=reference, data=data, random=random, size=1_000_000, repetitions=50,
    checksum=("total", "smallest", "largest"), scalars=("total", "smallest", "largest"),
    tolerance=NORMAL, features=("Forall", "Reduction"), rtol=0.0,
    work=lambda n: Work(bytes_read=4 * n, bytes_written=0, flops=0),
)  # fmt: skip
