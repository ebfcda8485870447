"""NODAL_ACCUMULATION_3D: each real zone of a 3-D mesh adds an eighth of its value to its corners.

Source: RAJAPerf src/apps/NODAL_ACCUMULATION_3D.{hpp,cpp}.
"""

import numpy as np

from kparity.compiler import Atomic, Ref, f64, i64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, Mesh3D


@kernel
def nodal_accumulation_3d(
    x: Atomic[f64, "nn"], vol: Ref[f64, "m"], real_zones: Ref[i64, "zones"], jp: i64, kp: i64
):  # fmt: skip
    for ii in parallel(zones):
        i = real_zones[ii]
        eighth = 0.125 * vol[i]
        x[i] += eighth
        x[i + 1] += eighth
        x[i + jp] += eighth
        x[i + jp + 1] += eighth
        x[i + kp] += eighth
        x[i + kp + 1] += eighth
        x[i + kp + jp] += eighth
        x[i + kp + jp + 1] += eighth


def reference(x: Array, vol: Array, real_zones: Array, jp: int, kp: int) -> None:
    for corner in (dk * kp + dj * jp + di for dk in (0, 1) for dj in (0, 1) for di in (0, 1)):
        x += np.bincount(real_zones + corner, weights=vol[real_zones] / 8.0, minlength=x.size)


def data(size: int, fill: Fill) -> Arguments:
    mesh = Mesh3D.of_size(size)
    x, vol = fill.constant(mesh.nodes, 0.0), fill.constant(mesh.lpz + 1, 1.0)
    return {"x": x, "vol": vol, "real_zones": fill.indices(mesh.zone_list()), "jp": mesh.jp, "kp": mesh.kp}


def work(size: int) -> Work:
    mesh = Mesh3D.of_size(size)
    return Work(bytes_read=16 * mesh.zones, bytes_written=0, bytes_atomic=8 * mesh.real_nodes, flops=9 * mesh.zones)


SPEC = Spec(
    "NODAL_ACCUMULATION_3D", program=nodal_accumulation_3d, reference=reference, data=data, size=1_000_000,
    repetitions=100, actual_size=lambda size: Mesh3D.of_size(size).zones,
    checksum=("x",), tolerance=NORMAL, features=("Forall", "Atomic"), work=work,
)  # fmt: skip
