"""NESTED_INIT: a 3-D array becomes a constant times the product of its indices.

Source: RAJAPerf src/basic/NESTED_INIT.{hpp,cpp}.
"""

import numpy as np

from kparity.compiler import Out, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import TIGHT, Fill, cube_side


@kernel
def nested_init(a: Out[f64, "n", "n", "n"]):
    for k, j, i in parallel(n, n, n):
        a[k, j, i] = 0.00000001 * i * j * k


def reference(a: Array) -> None:
    index = np.arange(len(a), dtype=np.float64)
    np.multiply(index[:, None, None], np.multiply.outer(index, 0.00000001 * index), out=a)


def data(size: int, fill: Fill) -> Arguments:
    n = cube_side(size)
    return {"a": fill.constant((n, n, n), 0.0)}


def work(size: int) -> Work:
    elements = cube_side(size) ** 3
    return Work(bytes_read=0, bytes_written=8 * elements, flops=3 * elements)


SPEC = Spec(
    "NESTED_INIT", program=nested_init, reference=reference, data=data, size=1_000_000, repetitions=1000,
    actual_size=lambda size: cube_side(size) ** 3,
    checksum=("a",), tolerance=TIGHT, features=("Kernel",), work=work,
)  # fmt: skip
