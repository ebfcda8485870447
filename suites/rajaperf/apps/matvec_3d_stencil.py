"""MATVEC_3D_STENCIL: product of a symmetric 27-point stencil matrix and a vector over the real zones of a 3-D mesh.

A coefficient's name says where its neighbour is: d(own) or c(entre) along k, b(ack), c or f(ront) along j, l(eft), c or
r(ight) along i. One half of the matrix is stored; a coefficient of the other half is the neighbour's own, looking back.
Source: RAJAPerf src/apps/MATVEC_3D_STENCIL.{hpp,cpp}.
"""

import itertools

import numpy as np

from kparity.compiler import Mut, Ref, f64, i64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, Mesh3D

STORED = ("dbl", "dbc", "dbr", "dcl", "dcc", "dcr", "dfl", "dfc", "dfr", "cbl", "cbc", "cbr", "ccl", "ccc")


@kernel
def matvec_3d_stencil(
    b: Mut[f64, "m"], x: Ref[f64, "m"],
    dbl: Ref[f64, "m"], dbc: Ref[f64, "m"], dbr: Ref[f64, "m"], dcl: Ref[f64, "m"],
    dcc: Ref[f64, "m"], dcr: Ref[f64, "m"], dfl: Ref[f64, "m"], dfc: Ref[f64, "m"],
    dfr: Ref[f64, "m"], cbl: Ref[f64, "m"], cbc: Ref[f64, "m"], cbr: Ref[f64, "m"],
    ccl: Ref[f64, "m"], ccc: Ref[f64, "m"],
    real_zones: Ref[i64, "zones"], jp: i64, kp: i64,
):  # fmt: skip
    for ii in parallel(zones):
        i = real_zones[ii]
        b[i] = (
            dbl[i] * x[i - kp - jp - 1]
            + dbc[i] * x[i - kp - jp]
            + dbr[i] * x[i - kp - jp + 1]
            + dcl[i] * x[i - kp - 1]
            + dcc[i] * x[i - kp]
            + dcr[i] * x[i - kp + 1]
            + dfl[i] * x[i - kp + jp - 1]
            + dfc[i] * x[i - kp + jp]
            + dfr[i] * x[i - kp + jp + 1]
            + cbl[i] * x[i - jp - 1]
            + cbc[i] * x[i - jp]
            + cbr[i] * x[i - jp + 1]
            + ccl[i] * x[i - 1]
            + ccc[i] * x[i]
            + ccl[i + 1] * x[i + 1]
            + cbr[i + jp - 1] * x[i + jp - 1]
            + cbc[i + jp] * x[i + jp]
            + cbl[i + jp + 1] * x[i + jp + 1]
            + dfr[i + kp - jp - 1] * x[i + kp - jp - 1]
            + dfc[i + kp - jp] * x[i + kp - jp]
            + dfl[i + kp - jp + 1] * x[i + kp - jp + 1]
            + dcr[i + kp - 1] * x[i + kp - 1]
            + dcc[i + kp] * x[i + kp]
            + dcl[i + kp + 1] * x[i + kp + 1]
            + dbr[i + kp + jp - 1] * x[i + kp + jp - 1]
            + dbc[i + kp + jp] * x[i + kp + jp]
            + dbl[i + kp + jp + 1] * x[i + kp + jp + 1]
        )


def reference(b: Array, x: Array, real_zones: Array, jp: int, kp: int, **stored: Array) -> None:
    result = np.zeros(real_zones.size)
    for dk, dj, di in itertools.product((-1, 0, 1), repeat=3):
        neighbour = real_zones + di + dj * jp + dk * kp
        name = "dcu"[dk + 1] + "bcf"[dj + 1] + "lcr"[di + 1]
        back = "dcu"[1 - dk] + "bcf"[1 - dj] + "lcr"[1 - di]
        coefficient = stored[name][real_zones] if name in stored else stored[back][neighbour]
        result += coefficient * x[neighbour]
    b[real_zones] = result


def data(size: int, fill: Fill) -> Arguments:
    mesh = Mesh3D.of_size(size)
    m = mesh.lpz + 1
    vectors = {"b": fill.constant(m, 0.0), "x": fill.ramp(m), **{name: fill.ramp(m) for name in STORED}}
    return {**vectors, "real_zones": fill.indices(mesh.zone_list()), "jp": mesh.jp, "kp": mesh.kp}


def work(size: int) -> Work:
    mesh = Mesh3D.of_size(size)
    side = mesh.real - 1
    # Of a stored coefficient both the zones' own and those of the neighbours that look back are read.
    shared = [side ** (3 - n) * (side - 1) ** n for n in (3, 2, 3, 2, 1, 2, 3, 2, 3, 2, 1, 2, 1)]
    read = sum(2 * mesh.zones - both for both in shared) + 2 * mesh.zones + (side + 2) ** 3
    return Work(bytes_read=8 * read, bytes_written=8 * mesh.zones, flops=53 * mesh.zones)


SPEC = Spec(
    "MATVEC_3D_STENCIL", program=matvec_3d_stencil, reference=reference, data=data, size=1_000_000, repetitions=100,
    actual_size=lambda size: Mesh3D.of_size(size).zones,
    checksum=("b",), tolerance=NORMAL, features=("Forall",), work=work,
)  # fmt: skip
