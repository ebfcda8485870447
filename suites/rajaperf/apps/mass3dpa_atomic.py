"""MASS3DPA_ATOMIC: the mass operator on coefficients that neighbouring elements share.

Source: RAJAPerf src/apps/MASS3DPA_ATOMIC.{hpp,cpp}. As one component of MASSVEC3DPA, but an element finds its
coefficients through a list of their numbers, and adds to them atomically: those on its faces belong to other elements
as well.
"""

import numpy as np

from kparity.compiler import Atomic, Ref, f64, i64, kernel, reshape, shared, teams, threads
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

D, Q = 3, 4  # coefficients and points in each direction
FLOPS = 4 * (D**3 * Q + D**2 * Q**2 + D * Q**3) + Q**3 + D**3


@kernel
def mass3dpa_atomic(
    y: Atomic[f64, "dofs"],
    x: Ref[f64, "dofs"],
    dq: Ref[f64, "elements", Q, Q, Q],
    b: Ref[f64, D, Q],
    numbers: Ref[i64, "elements", D, D, D],
):
    for e in teams(elements):
        basis = shared(f64, Q, D)
        even, odd = shared(f64, Q, Q, Q), shared(f64, Q, Q, Q)
        xd, ddq, dqq = reshape(even, D, D, D), reshape(odd, D, D, Q), reshape(even, D, Q, Q)
        qqq, qqd, qdd = reshape(odd, Q, Q, Q), reshape(even, Q, Q, D), reshape(odd, Q, D, D)
        for dx, qx in threads(D, Q):
            basis[qx, dx] = b[dx, qx]
        for dz, dy, dx in threads(D, D, D):
            xd[dz, dy, dx] = x[numbers[e, dz, dy, dx]]
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
            y[numbers[e, dz, dy, dx]] += u


def reference(y: Array, x: Array, dq: Array, b: Array, numbers: Array) -> None:
    points = np.einsum("iu,jv,kw,ekji->ewvu", b, b, b, x[numbers], optimize=True) * dq
    added = np.einsum("iu,jv,kw,ewvu->ekji", b, b, b, points, optimize=True)
    y += np.bincount(numbers.ravel(), weights=added.ravel(), minlength=y.size)


def side_of(size: int) -> int:
    """Return the number of elements in each direction: the cube root, cut off as RAJAPerf's arithmetic does it."""
    return int(np.cbrt(max(size // (D - 1) ** 3, 1)))


def dofs_of(size: int) -> int:
    return ((D - 1) * side_of(size) + 1) ** 3


def data(size: int, fill: Fill) -> Arguments:
    n, dofs = side_of(size), dofs_of(size)
    first = (D - 1) * np.arange(n, dtype=np.int64)
    line = first[:, np.newaxis] + np.arange(D, dtype=np.int64)  # element, coefficient: number in one direction
    width = (D - 1) * n + 1
    ez, ey, ex = np.ix_(range(n), range(n), range(n))
    z, y, x = line[ez][..., :, None, None], line[ey][..., None, :, None], line[ex][..., None, None, :]
    numbers = ((z * width + y) * width + x).reshape(n**3, D, D, D)
    arrays = {
        "b": fill.constant((D, Q), 1.0), "dq": fill.constant((n**3, Q, Q, Q), 1.0),
        "x": fill.constant(dofs, 1.0), "y": fill.constant(dofs, 0.0), "numbers": fill.indices(numbers),
    }  # fmt: skip
    return {name: arrays[name] for name in ("y", "x", "dq", "b", "numbers")}


def work(size: int) -> Work:
    elements, dofs = side_of(size) ** 3, dofs_of(size)
    read = 8 * (D * Q + (Q**3 + D**3) * elements + dofs)
    return Work(bytes_read=read, bytes_written=0, bytes_atomic=8 * dofs, flops=FLOPS * elements)


SPEC = Spec(
    "MASS3DPA_ATOMIC", program=mass3dpa_atomic, reference=reference, data=data, size=1_030_301, repetitions=50,
    actual_size=dofs_of, checksum=("y",), tolerance=NORMAL, features=("Launch", "Atomic"), work=work,
)  # fmt: skip
