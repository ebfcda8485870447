"""REDUCE_STRUCT: centre and bounding box of points in the plane, in one pass.

Source: RAJAPerf src/basic/REDUCE_STRUCT.{hpp,cpp}.
"""

import sys

import numpy as np

from kparity.compiler import Max, Min, Ref, Sum, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

LARGEST = sys.float_info.max
RESULTS = ("xcenter", "xmin", "xmax", "ycenter", "ymin", "ymax")


@kernel
def reduce(
    x: Ref[f64, "n"],
    y: Ref[f64, "n"],
    share: f64,
    xcenter: Sum[f64],
    xmin: Min[f64],
    xmax: Max[f64],
    ycenter: Sum[f64],
    ymin: Min[f64],
    ymax: Max[f64],
):
    for i in parallel(n):
        xi = x[i]
        xcenter += share * xi
        xmin.update(xi)
        xmax.update(xi)
        yi = y[i]
        ycenter += share * yi
        ymin.update(yi)
        ymax.update(yi)


@program
def reduce_struct(
    x: Ref[f64, "n"],
    y: Ref[f64, "n"],
    xcenter: Sum[f64],
    xmin: Min[f64],
    xmax: Max[f64],
    ycenter: Sum[f64],
    ymin: Min[f64],
    ymax: Max[f64],
):
    xcenter.fill(0.0)
    xmin.fill(LARGEST)
    xmax.fill(-LARGEST)
    ycenter.fill(0.0)
    ymin.fill(LARGEST)
    ymax.fill(-LARGEST)
    reduce(x, y, 1.0 / n, xcenter, xmin, xmax, ycenter, ymin, ymax)
    xcenter.get()
    xmin.get()
    xmax.get()
    ycenter.get()
    ymin.get()
    ymax.get()


def reference(x: Array, y: Array, **results: Array) -> None:
    for name, axis in (("x", x), ("y", y)):
        results[f"{name}center"][0] = np.mean(axis)
        results[f"{name}min"][0] = np.min(axis)
        results[f"{name}max"][0] = np.max(axis)


def data(n: int, fill: Fill) -> Arguments:
    x, y = fill.ramp(n), fill.ramp(n)
    x[:] = np.arange(n) * (100.0 / n)
    y[:] = np.arange(n) * (50.0 / n)
    return {"x": x, "y": y} | {name: np.zeros(1) for name in RESULTS}


def random(n: int, rng: np.random.Generator) -> Arguments:
    # Mostly positive: the mean is then as large as its terms' magnitudes, so a relative tolerance means something.
    x, y = rng.uniform(-0.2, 1.0, n), rng.uniform(-1.0, 5.0, n)
    return {"x": x, "y": y} | {name: rng.uniform(-9.0, 9.0, 1) for name in RESULTS}


# RAJAPerf adds two numbers a point and divides the two finished sums. Here the reducers hold the centre itself, so each
# contribution is multiplied by 1 / n; like the comparisons, that is in neither RAJAPerf's count nor this one.
SPEC = Spec(
    "REDUCE_STRUCT", program=reduce_struct, reference=reference, data=data, random=random, size=1_000_000,
    repetitions=50, checksum=RESULTS, scalars=RESULTS, tolerance=NORMAL, features=("Forall", "Reduction"),
    work=lambda n: Work(bytes_read=16 * n, bytes_written=0, flops=2 * n + 2),
    work_differs="RAJAPerf divides the sums once; here each term is multiplied by its share",
)  # fmt: skip
