"""INTSC_HEXRECT: volume and first moments of the intersections of hexahedra with axis-aligned boxes.

Source: RAJAPerf src/apps/INTSC_HEXRECT.{hpp,cpp} and its helpers. A record is one pair. Each face of the hexahedron is
split at its centre into four triangles. A triangle is taken to the frame where the box is [0, 1]^2 in x and y and
begins at z = 0, clipped to the box in x and y, and cut at the box's top; the prisms between its parts, those above the
top projected onto it, and the bottom sum to the intersection, with the sign of the triangle's direction.
"""

import numpy as np

from kparity.compiler import Mut, Out, Ref, device, f64, i32, i64, kernel, local, parallel, require
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, cube_side

MOST = 8  # vertices of a triangle that is clipped by five planes
# Corners of each face, bits x, y, z, counter-clockwise seen from outside; one octal digit each, the first the lowest.
BACK, FRONT, LEFT, RIGHT, BOTTOM, TOP = 0o4620, 0o3751, 0o1540, 0o6732, 0o2310, 0o5764
SPACING = 0.1


@device
def clip(a: Ref[f64, 8, 3], count: i64, b: Mut[f64, 8, 3], axis: i64, sign: f64, offset: f64):
    kept = 0
    last = count - 1
    for j in range(min(count, MOST)):
        before = a[min(max(last, 0), MOST - 1), axis] * sign + offset
        here = a[j, axis] * sign + offset
        if (before >= 0.0) != (here >= 0.0) and kept < MOST:
            t = before / (before - here)
            for c in range(3):
                p = a[min(max(last, 0), MOST - 1), c]
                b[kept, c] = p + t * (a[j, c] - p)
            kept += 1
        if here >= 0.0 and kept < MOST:
            for c in range(3):
                b[kept, c] = a[j, c]
            kept += 1
        last = j
    return kept


@device
def add_prisms(a: Ref[f64, 8, 3], count: i64, top: f64, sums: Mut[f64, 4]):
    # Between a polygon, no higher than `top`, and z = 0; midpoints of edges are exact for what is integrated.
    for j in range(1, min(count, MOST) - 1):
        x0, y0 = a[0, 0], a[0, 1]
        x1, y1 = a[j, 0], a[j, 1]
        x2, y2 = a[j + 1, 0], a[j + 1, 1]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        z0, z1, z2 = min(a[0, 2], top), min(a[j, 2], top), min(a[j + 1, 2], top)
        za, zb, zc = 0.5 * (z0 + z1), 0.5 * (z1 + z2), 0.5 * (z2 + z0)
        third = area / 6.0
        sums[0] += third * (za + zb + zc)
        sums[1] += third * 0.5 * (za * (x0 + x1) + zb * (x1 + x2) + zc * (x2 + x0))
        sums[2] += third * 0.5 * (za * (y0 + y1) + zb * (y1 + y2) + zc * (y2 + y0))
        sums[3] += third * 0.5 * (za * za + zb * zb + zc * zc)


@kernel
def intsc_hexrect(
    x: Ref[f64, "nodes"],
    y: Ref[f64, "nodes"],
    z: Ref[f64, "nodes"],
    corners: Ref[i32, "zones", 8],
    xplane: Ref[f64, "m + 1"],
    yplane: Ref[f64, "m + 1"],
    zplane: Ref[f64, "m + 1"],
    donor: Ref[i32, "n"],
    target: Ref[i32, "n"],
    records: Out[f64, "n", 4],
    m: i64,
):
    require(m > 0)
    for i in parallel(n):
        box = i64(target[i])
        bx, by = box % m, box // m % m
        bz = min(max(box // m // m, 0), m - 1)
        xlow, ylow, zlow = xplane[bx], yplane[by], zplane[bz]
        dx, dy, dz = xplane[bx + 1] - xlow, yplane[by + 1] - ylow, zplane[bz + 1] - zlow
        hexahedron = local(f64, 8, 3)
        for c in range(8):
            node = corners[donor[i], c]
            hexahedron[c, 0] = (x[node] - xlow) / dx
            hexahedron[c, 1] = (y[node] - ylow) / dy
            hexahedron[c, 2] = z[node] - zlow
        sums = local(f64, 4, fill=0.0)
        a, b = local(f64, 8, 3, fill=0.0), local(f64, 8, 3, fill=0.0)
        centre = local(f64, 3)
        for f in range(6):
            face = BACK if f == 0 else FRONT if f == 1 else LEFT if f == 2 else RIGHT if f == 3 else BOTTOM
            if f == 5:
                face = TOP
            for c in range(3):
                centre[c] = 0.25 * (
                    hexahedron[face & 7, c]
                    + hexahedron[(face >> 3) & 7, c]
                    + hexahedron[(face >> 6) & 7, c]
                    + hexahedron[(face >> 9) & 7, c]
                )
            for k in range(4):
                first, second = (face >> (3 * k)) & 7, (face >> (3 * ((k + 1) % 4))) & 7
                for c in range(3):
                    a[0, c] = centre[c]
                    a[1, c] = hexahedron[second, c]
                    a[2, c] = hexahedron[first, c]
                count = clip(a, 3, b, 1, -1.0, 1.0)
                count = clip(b, count, a, 1, 1.0, 0.0)
                count = clip(a, count, b, 0, -1.0, 1.0)
                count = clip(b, count, a, 0, 1.0, 0.0)
                above = clip(a, count, b, 2, 1.0, -dz)
                add_prisms(b, above, dz, sums)
                below = clip(a, count, b, 2, -1.0, dz)
                below = clip(b, below, a, 2, 1.0, 0.0)
                add_prisms(a, below, dz, sums)
        volume = sums[0] * dx * dy
        records[i, 0] = volume
        records[i, 1] = xlow * volume + sums[1] * dx * dx * dy
        records[i, 2] = ylow * volume + sums[2] * dx * dy * dy
        records[i, 3] = zlow * volume + sums[3] * dx * dy


def reference(
    x: Array,
    y: Array,
    z: Array,
    corners: Array,
    xplane: Array,
    yplane: Array,
    zplane: Array,
    donor: Array,
    target: Array,
    records: Array,
    m: int,
) -> None:
    """Intersect boxes, for the zones are boxes, too: in each direction the common part of two intervals."""
    box = np.stack(np.unravel_index(target, (m, m, m))[::-1])
    records[:, 0] = 1.0
    for axis, (nodes, planes) in enumerate(((x, xplane), (y, yplane), (z, zplane))):
        ends = nodes[corners[donor]]
        low = np.maximum(ends.min(axis=1), planes[box[axis]])
        high = np.minimum(ends.max(axis=1), planes[box[axis] + 1])
        records[:, 0] *= np.maximum(high - low, 0.0)
        records[:, axis + 1] = 0.5 * (low + high)
    records[:, 1:] *= records[:, :1]


def side_of(size: int) -> int:
    return max(1, cube_side(size) // 2)


def data(size: int, fill: Fill) -> Arguments:
    n = side_of(size)
    starts = (-2.0, -1.0, 1.0)
    planes = [start + SPACING * np.arange(n + 2) for start in starts]
    spacing = SPACING * (1.0 - 0.5 / (n + 1))
    axes = [start + SPACING * (1.0 - s / (n + 1)) + spacing * np.arange(n + 1) for s, start in enumerate(starts, 1)]
    return arguments_of(n, axes, planes)


def arguments_of(n: int, axes: list[Array], planes: list[Array]) -> Arguments:
    """Return zones and nodes numbered with x the fastest; each zone meets the eight boxes from its own place on."""
    z, y, x = (a.ravel() for a in np.meshgrid(axes[2], axes[1], axes[0], indexing="ij"))
    jz, jy, jx = (a.ravel() for a in np.meshgrid(*[np.arange(n)] * 3, indexing="ij"))
    bit = [np.arange(8) >> b & 1 for b in range(3)]
    node = (jz[:, None] + bit[2]) * (n + 1) ** 2 + (jy[:, None] + bit[1]) * (n + 1) + jx[:, None] + bit[0]
    box = (jz[:, None] + bit[2]) * (n + 1) ** 2 + (jy[:, None] + bit[1]) * (n + 1) + jx[:, None] + bit[0]
    return {
        "x": x, "y": y, "z": z, "corners": node.astype(np.int32), "xplane": planes[0], "yplane": planes[1],
        "zplane": planes[2], "donor": np.repeat(np.arange(n**3), 8).astype(np.int32),
        "target": box.ravel().astype(np.int32), "records": np.zeros((8 * n**3, 4)), "m": n + 1,
    }  # fmt: skip


def random(size: int, rng: np.random.Generator) -> Arguments:
    n = side_of(size)
    planes = [np.cumsum(rng.uniform(0.5, 1.5, n + 2)) for _ in range(3)]
    axes = [p[:-1] + rng.uniform(0.05, 0.95, n + 1) * np.diff(p) for p in planes]
    return arguments_of(n, axes, planes)


def work(size: int) -> Work:
    n = side_of(size)
    nodes, records = (n + 1) ** 3, 8 * n**3
    read = 8 * 3 * nodes + 4 * (8 * n**3 + 2 * records)  # RAJAPerf leaves the few planes out
    return Work(bytes_read=read, bytes_written=32 * records, flops=3600 * records)


SPEC = Spec(
    "INTSC_HEXRECT", program=intsc_hexrect, reference=reference, data=data, random=random, size=1_000_000,
    repetitions=1, actual_size=lambda size: 8 * side_of(size) ** 3, checksum=("records",), tolerance=NORMAL,
    features=("Forall",), work=work,
    work_differs="RAJAPerf leaves the planes out, and estimates the operations on clipped polygons",
)  # fmt: skip
