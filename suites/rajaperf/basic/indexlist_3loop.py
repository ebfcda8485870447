"""INDEXLIST_3LOOP: the indices of the negative items, in three loops: counts, their prefix sums, the list.

Source: RAJAPerf src/basic/INDEXLIST_3LOOP.{hpp,cpp}. The places in the list come out of memory. That no two items get
the same one is a property of prefix sums which no proof here knows, so the list is stored to atomically.
"""

import numpy as np

from kparity.compiler import Atomic, Mut, Out, Ref, Sum, exclusive_scan, f64, i32, kernel, parallel, program, scratch
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import ZERO, Fill


@kernel
def count(counts: Out[i32, "n + 1"], x: Ref[f64, "n"]):
    for i in parallel(n + 1):
        counts[i] = 1 if i < n and x[i] < 0.0 else 0


@kernel
def collect(list: Atomic[i32, "n"], length: Sum[i32], before: Ref[i32, "n + 1"]):
    for i in parallel(n):
        place = before[i]
        if place != before[i + 1] and 0 <= place < n:
            list[place].exchange(i32(i))
        if i == n - 1:
            length += before[n]


@program
def indexlist_3loop(x: Ref[f64, "n"], list: Mut[i32, "n"], length: Sum[i32]):
    counts = scratch(i32, n + 1)
    before = scratch(i32, n + 1)
    count(counts, x)
    exclusive_scan(before, counts)
    length.fill(0)
    collect(list, length, before)
    length.get()


def reference(x: Array, list: Array, length: Array) -> None:
    before = np.cumsum(np.concatenate([[0], np.where(x < 0.0, 1, 0)]))
    is_counted = np.diff(before) == 1
    list[before[:-1][is_counted]] = np.arange(x.size)[is_counted]
    length[0] = before[-1]


def data(n: int, fill: Fill) -> Arguments:
    return {"x": fill.random_sign(n), "list": fill.integers(n), "length": np.zeros(1, np.int32)}


def random(n: int, rng: np.random.Generator) -> Arguments:
    return {"x": rng.uniform(-1.0, 1.0, n), "list": rng.integers(-9, 0, n, np.int32), "length": np.full(1, 7, np.int32)}


SPEC = Spec(
    "INDEXLIST_3LOOP", program=indexlist_3loop, reference=reference, data=data, random=random, size=1_000_000,
    repetitions=100, checksum=("list", "length"), scalars=("length",), tolerance=ZERO, features=("Forall", "Scan"),
    rtol=0.0, work=lambda n: Work(bytes_read=24 * n + 16, bytes_written=18 * n + 10, flops=0),
    work_differs="RAJAPerf scans in place and takes half of the items; here the scan has an array of its own",
)  # fmt: skip
