"""MASSVEC3DPA: the mass operator on a field of three components. Source: RAJAPerf src/apps/MASSVEC3DPA.{hpp,cpp}.

As MASS3DPA, but a thread does a single value of each contraction, and a team one component of its element after the
other.
"""

import numpy as np

from kparity.compiler import Out, Ref, f64, kernel, reshape, shared, teams, threads
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

D, Q = 3, 4  # coefficients and points in each direction
COMPONENTS = 3
FLOPS = COMPONENTS * (4 * (D**3 * Q + D**2 * Q**2 + D * Q**3) + Q**3)


@kernel
def massvec3dpa(
    y: Out[f64, "elements", COMPONENTS, D, D, D],
    x: Ref[f64, "elements", COMPONENTS, D, D, D],
    dq: Ref[f64, "elements", Q, Q, Q],
    b: Ref[f64, D, Q],
):
    for e in teams(elements):
        basis = shared(f64, Q, D)
        even, odd = shared(f64, Q, Q, Q), shared(f64, Q, Q, Q)
        xd, ddq, dqq = reshape(even, D, D, D), reshape(odd, D, D, Q), reshape(even, D, Q, Q)
        qqq, qqd, qdd = reshape(odd, Q, Q, Q), reshape(even, Q, Q, D), reshape(odd, Q, D, D)
        for dx, qx in threads(D, Q):
            basis[qx, dx] = b[dx, qx]
        for c in range(COMPONENTS):
            for dz, dy, dx in threads(D, D, D):
                xd[dz, dy, dx] = x[e, c, dz, dy, dx]
            for dz, dy, qx in threads(D, D, Q):
                u = 0.0
                for dx in range(D):
                    u += xd[dz, dy, dx] * basis[qx, dx]
                ddq[dz, dy, qx] = u
            for dz, qy, qx in threads(D, Q, Q):
                u = 0.0
                for dy in range(D):
                    u += ddq[dz, dy, qx] * basis[qy, dy]
                dqq[dz, qy, qx] = u
            for qz, qy, qx in threads(Q, Q, Q):
                u = 0.0
                for dz in range(D):
                    u += dqq[dz, qy, qx] * basis[qz, dz]
                qqq[qz, qy, qx] = u * dq[e, qz, qy, qx]
            for qz, qy, dx in threads(Q, Q, D):
                u = 0.0
                for qx in range(Q):
                    u += qqq[qz, qy, qx] * basis[qx, dx]
                qqd[qz, qy, dx] = u
            for qz, dy, dx in threads(Q, D, D):
                u = 0.0
                for qy in range(Q):
                    u += qqd[qz, qy, dx] * basis[qy, dy]
                qdd[qz, dy, dx] = u
            for dz, dy, dx in threads(D, D, D):
                u = 0.0
                for qz in range(Q):
                    u += qdd[qz, dy, dx] * basis[qz, dz]
                y[e, c, dz, dy, dx] = u


def reference(y: Array, x: Array, dq: Array, b: Array) -> None:
    points = np.einsum("iu,jv,kw,eckji->ecwvu", b, b, b, x, optimize=True) * dq[:, None]
    y[...] = np.einsum("iu,jv,kw,ecwvu->eckji", b, b, b, points, optimize=True)


def elements_of(size: int) -> int:
    return max((size + Q**3 * COMPONENTS // 2) // (Q**3 * COMPONENTS), 1)


def data(size: int, fill: Fill) -> Arguments:
    n = elements_of(size)
    arrays = {
        "b": fill.constant((D, Q), 1.0), "dq": fill.constant((n, Q, Q, Q), 1.0),
        "x": fill.constant((n, COMPONENTS, D, D, D), 1.0), "y": fill.constant((n, COMPONENTS, D, D, D), 0.0),
    }  # fmt: skip
    return {name: arrays[name] for name in ("y", "x", "dq", "b")}


def work(size: int) -> Work:
    n, values = elements_of(size), COMPONENTS * D**3
    return Work(bytes_read=8 * (D * Q + (Q**3 + values) * n), bytes_written=8 * values * n, flops=FLOPS * n)


SPEC = Spec(
    "MASSVEC3DPA", program=massvec3dpa, reference=reference, data=data, size=421_824, repetitions=50,
    actual_size=lambda size: Q**3 * COMPONENTS * elements_of(size), checksum=("y",), tolerance=NORMAL,
    features=("Launch",), work=work,
)  # fmt: skip
