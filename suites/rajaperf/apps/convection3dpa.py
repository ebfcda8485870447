"""CONVECTION3DPA: a convection operator on hexahedra. Source: RAJAPerf src/apps/CONVECTION3DPA.{hpp,cpp}.

By partial assembly: the gradient at each of 4 x 4 x 4 points, by contractions with the basis (b) and its derivative
(g) in one direction after the other; its product with the velocity there; and contractions back, along z first. A team
does an element, a thread a single point or coefficient.
"""

import numpy as np

from kparity.compiler import Mut, Ref, f64, kernel, reshape, shared, teams, threads
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

D, Q = 3, 4  # coefficients and points in each direction
FLOPS = 57_546_875 // 15_625  # of an element, as RAJAPerf counts them


@kernel
def convection3dpa(
    y: Mut[f64, "elements", D, D, D],
    x: Ref[f64, "elements", D, D, D],
    dq: Ref[f64, "elements", 3, Q, Q, Q],
    b: Ref[f64, D, Q],
    bt: Ref[f64, Q, D],
    g: Ref[f64, D, Q],
):
    for e in teams(elements):
        even, odd = shared(f64, 2, D, D, Q), shared(f64, 3, D, Q, Q)
        xd, ddq, dqq = reshape(odd, D, D, D), reshape(even, 2, D, D, Q), reshape(odd, 3, D, Q, Q)
        qqq, qqd, qdd = reshape(even, Q, Q, Q), reshape(odd, D, Q, Q), reshape(even, D, D, Q)
        for dz, dy, dx in threads(D, D, D):
            xd[dz, dy, dx] = x[e, dz, dy, dx]
        for dz, dy, qx in threads(D, D, Q):
            u, v = 0.0, 0.0
            for dx in range(D):
                u += xd[dz, dy, dx] * b[dx, qx]
                v += xd[dz, dy, dx] * g[dx, qx]
            ddq[0, dz, dy, qx] = u
            ddq[1, dz, dy, qx] = v
        for dz, qy, qx in threads(D, Q, Q):
            u, v, w = 0.0, 0.0, 0.0
            for dy in range(D):
                u += ddq[1, dz, dy, qx] * b[dy, qy]
                v += ddq[0, dz, dy, qx] * g[dy, qy]
                w += ddq[0, dz, dy, qx] * b[dy, qy]
            dqq[0, dz, qy, qx] = u
            dqq[1, dz, qy, qx] = v
            dqq[2, dz, qy, qx] = w
        for qz, qy, qx in threads(Q, Q, Q):
            u, v, w = 0.0, 0.0, 0.0
            for dz in range(D):
                u += dqq[0, dz, qy, qx] * b[dz, qz]
                v += dqq[1, dz, qy, qx] * b[dz, qz]
                w += dqq[2, dz, qy, qx] * g[dz, qz]
            qqq[qz, qy, qx] = dq[e, 0, qz, qy, qx] * u + dq[e, 1, qz, qy, qx] * v + dq[e, 2, qz, qy, qx] * w
        for dz, qy, qx in threads(D, Q, Q):
            u = 0.0
            for qz in range(Q):
                u += qqq[qz, qy, qx] * bt[qz, dz]
            qqd[dz, qy, qx] = u
        for dz, dy, qx in threads(D, D, Q):
            u = 0.0
            for qy in range(Q):
                u += qqd[dz, qy, qx] * bt[qy, dy]
            qdd[dz, dy, qx] = u
        for dz, dy, dx in threads(D, D, D):
            u = 0.0
            for qx in range(Q):
                u += qdd[dz, dy, qx] * bt[qx, dx]
            y[e, dz, dy, dx] += u


def reference(y: Array, x: Array, dq: Array, b: Array, bt: Array, g: Array) -> None:
    along = [(g, b, b), (b, g, b), (b, b, g)]  # what is contracted with in x, y and z
    gradient = np.stack([np.einsum("iu,jv,kw,ekji->ewvu", *f, x, optimize=True) for f in along], axis=1)
    y += np.einsum("ui,vj,wk,ewvu->ekji", bt, bt, bt, (dq * gradient).sum(axis=1), optimize=True)


def elements_of(size: int) -> int:
    return max((size + D**3 // 2) // D**3, 1)


def data(size: int, fill: Fill) -> Arguments:
    n = elements_of(size)
    arrays = {
        "b": fill.constant((D, Q), 1.0), "bt": fill.constant((Q, D), 1.0), "g": fill.constant((D, Q), 1.0),
        "dq": fill.constant((n, 3, Q, Q, Q), 1.0), "x": fill.constant((n, D, D, D), 1.0),
        "y": fill.constant((n, D, D, D), 0.0),
    }  # fmt: skip
    return {name: arrays[name] for name in ("y", "x", "dq", "b", "bt", "g")}


def work(size: int) -> Work:
    n = elements_of(size)
    read = 8 * (3 * D * Q + (3 * Q**3 + 2 * D**3) * n)
    return Work(bytes_read=read, bytes_written=8 * D**3 * n, flops=FLOPS * n)


SPEC = Spec(
    "CONVECTION3DPA", program=convection3dpa, reference=reference, data=data, size=421_875, repetitions=50,
    actual_size=lambda size: D**3 * elements_of(size), checksum=("y",), tolerance=NORMAL,
    features=("Launch",), work=work,
)  # fmt: skip
