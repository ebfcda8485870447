"""DIFFUSION3DPA: a symmetric diffusion operator on hexahedra. Source: RAJAPerf src/apps/DIFFUSION3DPA.{hpp,cpp}.

By partial assembly: the gradient at each of 4 x 4 x 4 points, by contractions with the basis (b) and its derivative
(g) in one direction after the other; the symmetric matrix of the point; and the same contractions back. A team does an
element, a thread a single point or coefficient.
"""

import numpy as np

from kparity.compiler import Mut, Ref, f64, kernel, reshape, shared, teams, threads
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

D, Q = 3, 4  # coefficients and points in each direction
PARTS = 6  # of a symmetric matrix
MATRIX = [[0, 1, 2], [1, 3, 4], [2, 4, 5]]  # where its entries are
FLOPS = 81_234_375 // 15_625  # of an element, as RAJAPerf counts them


@kernel
def diffusion3dpa(
    y: Mut[f64, "elements", D, D, D],
    x: Ref[f64, "elements", D, D, D],
    dq: Ref[f64, "elements", PARTS, Q, Q, Q],
    b: Ref[f64, D, Q],
    g: Ref[f64, D, Q],
):
    for e in teams(elements):
        value, slope = shared(f64, Q, D), shared(f64, Q, D)
        even, odd = shared(f64, 3, Q, Q, Q), shared(f64, 3, Q, Q, Q)
        xd, ddq = reshape(odd, D, D, D), reshape(even, 2, D, D, Q)
        dqq, qqq = reshape(odd, 3, D, Q, Q), reshape(even, 3, Q, Q, Q)
        qqd, qdd = reshape(odd, 3, Q, Q, D), reshape(even, 3, Q, D, D)
        for dz, dy, dx in threads(D, D, D):
            xd[dz, dy, dx] = x[e, dz, dy, dx]
        for dx, qx in threads(D, Q):
            value[qx, dx] = b[dx, qx]
            slope[qx, dx] = g[dx, qx]
        for dz, dy, qx in threads(D, D, Q):
            u, v = 0.0, 0.0
            for dx in range(D):
                u += xd[dz, dy, dx] * value[qx, dx]
                v += xd[dz, dy, dx] * slope[qx, dx]
            ddq[0, dz, dy, qx] = u
            ddq[1, dz, dy, qx] = v
        for dz, qy, qx in threads(D, Q, Q):
            u, v, w = 0.0, 0.0, 0.0
            for dy in range(D):
                u += ddq[1, dz, dy, qx] * value[qy, dy]
                v += ddq[0, dz, dy, qx] * slope[qy, dy]
                w += ddq[0, dz, dy, qx] * value[qy, dy]
            dqq[0, dz, qy, qx] = u
            dqq[1, dz, qy, qx] = v
            dqq[2, dz, qy, qx] = w
        for qz, qy, qx in threads(Q, Q, Q):
            u, v, w = 0.0, 0.0, 0.0
            for dz in range(D):
                u += dqq[0, dz, qy, qx] * value[qz, dz]
                v += dqq[1, dz, qy, qx] * value[qz, dz]
                w += dqq[2, dz, qy, qx] * slope[qz, dz]
            xx, xy, xz = dq[e, 0, qz, qy, qx], dq[e, 1, qz, qy, qx], dq[e, 2, qz, qy, qx]
            yy, yz, zz = dq[e, 3, qz, qy, qx], dq[e, 4, qz, qy, qx], dq[e, 5, qz, qy, qx]
            qqq[0, qz, qy, qx] = xx * u + xy * v + xz * w
            qqq[1, qz, qy, qx] = xy * u + yy * v + yz * w
            qqq[2, qz, qy, qx] = xz * u + yz * v + zz * w
        for qz, qy, dx in threads(Q, Q, D):
            u, v, w = 0.0, 0.0, 0.0
            for qx in range(Q):
                u += qqq[0, qz, qy, qx] * slope[qx, dx]
                v += qqq[1, qz, qy, qx] * value[qx, dx]
                w += qqq[2, qz, qy, qx] * value[qx, dx]
            qqd[0, qz, qy, dx] = u
            qqd[1, qz, qy, dx] = v
            qqd[2, qz, qy, dx] = w
        for qz, dy, dx in threads(Q, D, D):
            u, v, w = 0.0, 0.0, 0.0
            for qy in range(Q):
                u += qqd[0, qz, qy, dx] * value[qy, dy]
                v += qqd[1, qz, qy, dx] * slope[qy, dy]
                w += qqd[2, qz, qy, dx] * value[qy, dy]
            qdd[0, qz, dy, dx] = u
            qdd[1, qz, dy, dx] = v
            qdd[2, qz, dy, dx] = w
        for dz, dy, dx in threads(D, D, D):
            u, v, w = 0.0, 0.0, 0.0
            for qz in range(Q):
                u += qdd[0, qz, dy, dx] * value[qz, dz]
                v += qdd[1, qz, dy, dx] * value[qz, dz]
                w += qdd[2, qz, dy, dx] * slope[qz, dz]
            y[e, dz, dy, dx] += u + v + w


def reference(y: Array, x: Array, dq: Array, b: Array, g: Array) -> None:
    along = [(g, b, b), (b, g, b), (b, b, g)]  # what is contracted with in x, y and z
    gradient = np.stack([np.einsum("iu,jv,kw,ekji->ewvu", *f, x, optimize=True) for f in along], axis=1)
    flux = np.einsum("erswvu,eswvu->erwvu", dq[:, MATRIX], gradient)
    for direction, factors in enumerate(along):
        y += np.einsum("iu,jv,kw,ewvu->ekji", *factors, flux[:, direction], optimize=True)


def elements_of(size: int) -> int:
    return max((size + D**3 // 2) // D**3, 1)


def data(size: int, fill: Fill) -> Arguments:
    n = elements_of(size)
    arrays = {
        "b": fill.constant((D, Q), 1.0), "g": fill.constant((D, Q), 1.0), "dq": fill.constant((n, PARTS, Q, Q, Q), 1.0),
        "x": fill.constant((n, D, D, D), 1.0), "y": fill.constant((n, D, D, D), 0.0),
    }  # fmt: skip
    return {name: arrays[name] for name in ("y", "x", "dq", "b", "g")}


def work(size: int) -> Work:
    n = elements_of(size)
    read = 8 * (2 * D * Q + (PARTS * Q**3 + 2 * D**3) * n)
    return Work(bytes_read=read, bytes_written=8 * D**3 * n, flops=FLOPS * n)


SPEC = Spec(
    "DIFFUSION3DPA", program=diffusion3dpa, reference=reference, data=data, size=421_875, repetitions=50,
    actual_size=lambda size: D**3 * elements_of(size), checksum=("y",), tolerance=NORMAL,
    features=("Launch",), work=work,
    work_differs="RAJAPerf declares 5,199 operations an element; the contractions have 2,448 to the points and 2,664 "
    "back, the points' matrices 960, and the sums of three 81",
)  # fmt: skip
