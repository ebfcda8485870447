"""ZONAL_ACCUMULATION_3D: each real zone of a 3-D mesh gets the mean of its corners.

Source: RAJAPerf src/apps/ZONAL_ACCUMULATION_3D.{hpp,cpp}.
"""

import numpy as np

from kparity.compiler import Mut, Ref, f64, i64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, Mesh3D


@kernel
def zonal_accumulation_3d(
    x: Ref[f64, "nn"], vol: Mut[f64, "m"], real_zones: Ref[i64, "zones"], jp: i64, kp: i64
):  # fmt: skip
    for ii in parallel(zones):
        i = real_zones[ii]
        vol[i] = 0.125 * (
            x[i]
            + x[i + 1]
            + x[i + jp]
            + x[i + jp + 1]
            + x[i + kp]
            + x[i + kp + 1]
            + x[i + kp + jp]
            + x[i + kp + jp + 1]
        )


def reference(x: Array, vol: Array, real_zones: Array, jp: int, kp: int) -> None:
    corners = [dk * kp + dj * jp + di for dk in (0, 1) for dj in (0, 1) for di in (0, 1)]
    vol[real_zones] = np.mean([x[real_zones + corner] for corner in corners], axis=0)


def data(size: int, fill: Fill) -> Arguments:
    mesh = Mesh3D.of_size(size)
    x, vol = fill.constant(mesh.nodes, 1.0), fill.constant(mesh.lpz + 1, 0.0)
    return {"x": x, "vol": vol, "real_zones": fill.indices(mesh.zone_list()), "jp": mesh.jp, "kp": mesh.kp}


def work(size: int) -> Work:
    mesh = Mesh3D.of_size(size)
    return Work(bytes_read=8 * mesh.zones + 8 * mesh.real_nodes, bytes_written=8 * mesh.zones, flops=8 * mesh.zones)


SPEC = Spec(
    "ZONAL_ACCUMULATION_3D", program=zonal_accumulation_3d, reference=reference, data=data, size=1_000_000,
    repetitions=100, actual_size=lambda size: Mesh3D.of_size(size).zones,
    checksum=("vol",), tolerance=NORMAL, features=("Forall",), work=work,
)  # fmt: skip
