"""MASS3DPA: the mass operator on hexahedra by partial assembly. Source: RAJAPerf src/apps/MASS3DPA.{hpp,cpp}.

Each element's 4 x 4 x 4 coefficients are evaluated at 5 x 5 x 5 points, scaled by the data there, and integrated
against the basis again; both ways are three contractions, one a direction. A team does an element, a thread a column
along z. Intermediate results alternate between two arrays of shared memory.
"""

import numpy as np

from kparity.compiler import Mut, Ref, f64, kernel, local, reshape, shared, teams, threads
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

D, Q = 4, 5  # coefficients and points in each direction
FLOPS = 2 * (D**3 * Q + D**2 * Q**2 + D * Q**3 + Q**3 * D + Q**2 * D**2 + Q * D**3) + Q**3 + D**3


@kernel
def mass3dpa(
    y: Mut[f64, "elements", D, D, D],
    x: Ref[f64, "elements", D, D, D],
    dq: Ref[f64, "elements", Q, Q, Q],
    b: Ref[f64, D, Q],
    bt: Ref[f64, Q, D],
):
    for e in teams(elements):
        basis = shared(f64, Q, D)
        even, odd = shared(f64, Q, Q, Q), shared(f64, Q, Q, Q)
        xd, ddq, dqq = reshape(even, D, D, D), reshape(odd, D, D, Q), reshape(even, D, Q, Q)
        qqq, qqd, qdd = reshape(odd, Q, Q, Q), reshape(even, Q, Q, D), reshape(odd, Q, D, D)
        transposed = reshape(basis, D, Q)
        for dy, qx in threads(D, Q):
            if qx < D:
                for dz in range(D):
                    xd[dz, dy, qx] = x[e, dz, dy, qx]
            basis[qx, dy] = b[dy, qx]
        for dy, qx in threads(D, Q):
            u = local(f64, D, fill=0.0)
            for dx in range(D):
                for dz in range(D):
                    u[dz] += xd[dz, dy, dx] * basis[qx, dx]
            for dz in range(D):
                ddq[dz, dy, qx] = u[dz]
        for qy, qx in threads(Q, Q):
            u = local(f64, D, fill=0.0)
            for dy in range(D):
                for dz in range(D):
                    u[dz] += ddq[dz, dy, qx] * basis[qy, dy]
            for dz in range(D):
                dqq[dz, qy, qx] = u[dz]
        for qy, qx in threads(Q, Q):
            u = local(f64, Q, fill=0.0)
            for dz in range(D):
                for qz in range(Q):
                    u[qz] += dqq[dz, qy, qx] * basis[qz, dz]
            for qz in range(Q):
                qqq[qz, qy, qx] = u[qz] * dq[e, qz, qy, qx]
        for dy, qx in threads(D, Q):
            transposed[dy, qx] = bt[qx, dy]
        for qy, dx in threads(Q, D):
            u = local(f64, Q, fill=0.0)
            for qx in range(Q):
                for qz in range(Q):
                    u[qz] += qqq[qz, qy, qx] * transposed[dx, qx]
            for qz in range(Q):
                qqd[qz, qy, dx] = u[qz]
        for dy, dx in threads(D, D):
            u = local(f64, Q, fill=0.0)
            for qy in range(Q):
                for qz in range(Q):
                    u[qz] += qqd[qz, qy, dx] * transposed[dy, qy]
            for qz in range(Q):
                qdd[qz, dy, dx] = u[qz]
        for dy, dx in threads(D, D):
            u = local(f64, D, fill=0.0)
            for qz in range(Q):
                for dz in range(D):
                    u[dz] += qdd[qz, dy, dx] * transposed[dz, qz]
            for dz in range(D):
                y[e, dz, dy, dx] += u[dz]


def reference(y: Array, x: Array, dq: Array, b: Array, bt: Array) -> None:
    points = np.einsum("iu,jv,kw,ekji->ewvu", b, b, b, x, optimize=True) * dq
    y += np.einsum("ui,vj,wk,ewvu->ekji", bt, bt, bt, points, optimize=True)


def elements_of(size: int) -> int:
    return max((size + D**3 // 2) // D**3, 1)


def data(size: int, fill: Fill) -> Arguments:
    n = elements_of(size)
    arrays = {
        "b": fill.constant((D, Q), 1.0), "bt": fill.constant((Q, D), 1.0), "dq": fill.constant((n, Q, Q, Q), 1.0),
        "x": fill.constant((n, D, D, D), 1.0), "y": fill.constant((n, D, D, D), 0.0),
    }  # fmt: skip
    return {name: arrays[name] for name in ("y", "x", "dq", "b", "bt")}


def work(size: int) -> Work:
    n = elements_of(size)
    read = 8 * (2 * D * Q + (Q**3 + 2 * D**3) * n)
    return Work(bytes_read=read, bytes_written=8 * D**3 * n, flops=FLOPS * n)


SPEC = Spec(
    "MASS3DPA", program=mass3dpa, reference=reference, data=data, size=512_000, repetitions=50,
    actual_size=lambda size: D**3 * elements_of(size), checksum=("y",), tolerance=NORMAL,
    features=("Launch",), work=work,
)  # fmt: skip
