"""VOL3D: volume of each hexahedral zone of a structured 3-D mesh. Source: RAJAPerf src/apps/VOL3D.{hpp,cpp}.

A zone's corner m has bit 0 along i, bit 1 along j and bit 2 along k. Zones fpz to lpz are computed in one flat range,
the ghost zones and those that wrap around a line's end included, as RAJAPerf does.
"""

import numpy as np

from kparity.compiler import Mut, Ref, f64, i64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, Mesh3D

BLOCK = 1 << 14  # zones that the reference takes at a time: their corners stay in the cache


@kernel
def vol3d(
    x: Ref[f64, "nn"],
    y: Ref[f64, "nn"],
    z: Ref[f64, "nn"],
    vol: Mut[f64, "nn"],
    jp: i64,
    kp: i64,
    fpz: i64,
    lpz: i64,
):
    for i in parallel((fpz, lpz + 1)):
        x71 = x[i + jp + kp + 1] - x[i + 1]
        x72 = x[i + jp + kp + 1] - x[i + jp]
        x74 = x[i + jp + kp + 1] - x[i + kp]
        x30 = x[i + jp + 1] - x[i]
        x50 = x[i + kp + 1] - x[i]
        x60 = x[i + jp + kp] - x[i]

        y71 = y[i + jp + kp + 1] - y[i + 1]
        y72 = y[i + jp + kp + 1] - y[i + jp]
        y74 = y[i + jp + kp + 1] - y[i + kp]
        y30 = y[i + jp + 1] - y[i]
        y50 = y[i + kp + 1] - y[i]
        y60 = y[i + jp + kp] - y[i]

        z71 = z[i + jp + kp + 1] - z[i + 1]
        z72 = z[i + jp + kp + 1] - z[i + jp]
        z74 = z[i + jp + kp + 1] - z[i + kp]
        z30 = z[i + jp + 1] - z[i]
        z50 = z[i + kp + 1] - z[i]
        z60 = z[i + jp + kp] - z[i]

        xps = x71 + x60
        yps = y71 + y60
        zps = z71 + z60
        twelvefold = xps * (y72 * z30 - z72 * y30) + yps * (z72 * x30 - x72 * z30) + zps * (x72 * y30 - y72 * x30)

        xps = x72 + x50
        yps = y72 + y50
        zps = z72 + z50
        twelvefold += xps * (y74 * z60 - z74 * y60) + yps * (z74 * x60 - x74 * z60) + zps * (x74 * y60 - y74 * x60)

        xps = x74 + x30
        yps = y74 + y30
        zps = z74 + z30
        twelvefold += xps * (y71 * z50 - z71 * y50) + yps * (z71 * x50 - x71 * z50) + zps * (x71 * y50 - y71 * x50)

        vol[i] = twelvefold * 0.083333333333333333


def reference(x: Array, y: Array, z: Array, vol: Array, jp: int, kp: int, fpz: int, lpz: int) -> None:
    """Twelfth of the sum of three triple products of diagonals; Grandy, UCRL-ID-128886 (1997)."""
    corners = [(m & 1) + (m >> 1 & 1) * jp + (m >> 2) * kp for m in range(8)]
    for first in range(fpz, lpz + 1, BLOCK):
        last = min(first + BLOCK, lpz + 1)
        p = [np.stack([axis[first + corner : last + corner] for axis in (x, y, z)]) for corner in corners]
        twelvefold = np.zeros(last - first)
        for a, b, c, d in ((1, 6, 2, 3), (2, 5, 4, 6), (4, 3, 1, 5)):
            normal = np.cross(p[7] - p[c], p[d] - p[0], axis=0)
            twelvefold += np.sum((p[7] - p[a] + p[b] - p[0]) * normal, axis=0)
        vol[first:last] = twelvefold / 12.0


def data(size: int, fill: Fill) -> Arguments:
    mesh = Mesh3D.of_size(size)
    x, y, z = (fill.constant(mesh.nodes, 0.0) for _ in range(3))
    mesh.place(x, y, z, spacing=(0.3, 0.2, 0.1))
    vol = fill.constant(mesh.nodes, 0.0)
    return {"x": x, "y": y, "z": z, "vol": vol, "jp": mesh.jp, "kp": mesh.kp, "fpz": mesh.fpz, "lpz": mesh.lpz}


def work(size: int) -> Work:
    # The corners of the flat range of zones are one contiguous range of nodes.
    mesh = Mesh3D.of_size(size)
    zones = mesh.lpz - mesh.fpz + 1
    nodes = zones + 1 + mesh.jp + mesh.kp
    return Work(bytes_read=3 * 8 * nodes, bytes_written=8 * zones, flops=72 * zones)


SPEC = Spec(
    "VOL3D", program=vol3d, reference=reference, data=data, size=1_000_000, repetitions=100,
    actual_size=lambda size: Mesh3D.of_size(size).zones,
    checksum=("vol",), tolerance=NORMAL, features=("Forall",), work=work,
)  # fmt: skip
