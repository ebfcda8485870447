"""INDEXLIST: the indices of the negative items, in ascending order. Source: RAJAPerf src/basic/INDEXLIST.{hpp,cpp}."""

import numpy as np

from kparity.compiler import Mut, Push, Ref, Sum, f64, i32, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import ZERO, Fill


@kernel
def negative(x: Ref[f64, "n"], list: Push[i32, "n"], length: Sum[i32]):
    for i in parallel(n):
        if x[i] < 0.0:
            list.push(i32(i))
            length += 1


@program
def indexlist(x: Ref[f64, "n"], list: Mut[i32, "n"], length: Sum[i32]):
    length.fill(0)
    negative(x, list, length)
    length.get()


def reference(x: Array, list: Array, length: Array) -> None:
    (found,) = np.nonzero(x < 0.0)
    list[: found.size] = found
    length[0] = found.size


def data(n: int, fill: Fill) -> Arguments:
    return {"x": fill.random_sign(n), "list": fill.integers(n), "length": np.zeros(1, np.int32)}


def random(n: int, rng: np.random.Generator) -> Arguments:
    return {"x": rng.uniform(-1.0, 1.0, n), "list": rng.integers(-9, 0, n, np.int32), "length": np.full(1, 7, np.int32)}


SPEC = Spec(
    "INDEXLIST", program=indexlist, reference=reference, data=data, random=random, size=1_000_000, repetitions=100,
    checksum=("list", "length"), scalars=("length",), tolerance=ZERO, features=("Forall", "Scan"), rtol=0.0,
    work=lambda n: Work(bytes_read=8 * n, bytes_written=2 * n, flops=0),
    work_differs="RAJAPerf takes half of the items for negative; how many are depends on the data",
)  # fmt: skip
