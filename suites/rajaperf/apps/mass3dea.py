"""MASS3DEA: the mass matrices of hexahedra, 64 x 64 each. Source: RAJAPerf src/apps/MASS3DEA.{hpp,cpp}.

An entry is the integral of two basis functions, products of one function a direction, over 5 x 5 x 5 points. A team
does an element; a thread has a basis function, and one row of the matrix after the other.
"""

import numpy as np

from kparity.compiler import Out, Ref, ceildiv, f64, kernel, local, shared, teams, threads
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

D, Q = 4, 5  # coefficients and points in each direction
ENTRIES, POINTS = D**6, Q**3
TEAM = D**3
FLOPS = 7 * ENTRIES  # of an element, as RAJAPerf counts them


@kernel
def mass3dea(m: Out[f64, "elements", D, D, D, D, D, D], dq: Ref[f64, "elements", POINTS], b: Ref[f64, D, Q]):
    for e in teams(elements):
        basis, weight = shared(f64, Q, D), shared(f64, Q, Q, Q)
        for q, i in threads(Q, D):
            basis[q, i] = b[i, q]
        for i3, i2, i1 in threads(D, D, D):
            own = (i3 * D + i2) * D + i1
            for turn in range(ceildiv(POINTS, TEAM)):
                point = turn * TEAM + own
                if point < POINTS:
                    weight[point // (Q * Q), point // Q % Q, point % Q] = dq[e, point]
        for i3, i2, i1 in threads(D, D, D):
            for j3 in range(D):
                for j2 in range(D):
                    total = local(f64, D, fill=0.0)  # of the rows along j1: they share all but one factor
                    for k3 in range(Q):
                        b3 = basis[k3, i3] * basis[k3, j3]
                        for k2 in range(Q):
                            b2 = b3 * (basis[k2, i2] * basis[k2, j2])
                            for k1 in range(Q):
                                common = b2 * basis[k1, i1] * weight[k3, k2, k1]
                                for j1 in range(D):
                                    total[j1] += common * basis[k1, j1]
                    for j1 in range(D):
                        m[e, j3, j2, j1, i3, i2, i1] = total[j1]


def reference(m: Array, dq: Array, b: Array) -> None:
    pairs = np.einsum("iq,jq->ijq", b, b)
    weights = dq.reshape(-1, Q, Q, Q)
    m[...] = np.einsum("adu,bev,cfw,nwvu->nfedcba", pairs, pairs, pairs, weights, optimize=True)


def elements_of(size: int) -> int:
    return max((size + ENTRIES // 2) // ENTRIES, 1)


def data(size: int, fill: Fill) -> Arguments:
    n = elements_of(size)
    arrays = {
        "b": fill.constant((D, Q), 1.0), "dq": fill.constant((n, POINTS), 1.0),
        "m": fill.constant((n, D, D, D, D, D, D), 0.0),
    }  # fmt: skip
    return {name: arrays[name] for name in ("m", "dq", "b")}


def work(size: int) -> Work:
    n = elements_of(size)
    return Work(bytes_read=8 * (D * Q + POINTS * n), bytes_written=8 * ENTRIES * n, flops=FLOPS * n)


SPEC = Spec(
    "MASS3DEA", program=mass3dea, reference=reference, data=data, size=512_000, repetitions=1,
    actual_size=lambda size: ENTRIES * elements_of(size), checksum=("m",), tolerance=NORMAL,
    features=("Launch",), work=work,
    work_differs="RAJAPerf counts one term of each entry's sum over 125 points",
)  # fmt: skip
