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
from kparity.suites.rajaperf.clipping import add_prisms, crosses, crossings, keep

TRIANGLES = 24
# Corners of each face, bits x, y, z, counter-clockwise seen from outside; one octal digit each, the first the lowest.
FACES = np.array([0o4620, 0o3751, 0o1540, 0o6732, 0o2310, 0o5764], dtype=np.int64)
LEFT, RIGHT, FRONT, BACK, BELOW, ABOVE = 1, 2, 4, 8, 16, 32  # of the box
SPACING = 0.1


@device
def triangle(corner: Ref[f64, 8, 3], number: i64, t: Mut[f64, 3, 3]):
    """Take a triangle of the hexahedron: a face's centre and two corners of it."""
    face, k = FACES[min(max(number, 0), TRIANGLES - 1) // 4], number % 4
    one, two = (face >> (3 * k)) & 7, (face >> (3 * ((k + 1) % 4))) & 7
    for c in range(3):
        t[0, c] = 0.25 * (
            corner[face & 7, c] + corner[(face >> 3) & 7, c] + corner[(face >> 6) & 7, c] + corner[(face >> 9) & 7, c]
        )
        t[1, c] = corner[two, c]
        t[2, c] = corner[one, c]


@device
def cut(
    a: Ref[f64, "n", 3], axis: i64, sign: f64, offset: f64, distance: Mut[f64, "n"],
    leave: Mut[f64, 3], enter: Mut[f64, 3],
):  # fmt: skip
    """Find where a polygon crosses the plane `sign * coordinate + offset = 0`; returns what `crossings` does."""
    for i in range(n):
        distance[i] = a[i, axis] * sign + offset
    return crossings(a, distance, leave, enter)


@device
def add_area(a: Ref[f64, "n", 3], sums: Mut[f64, 3]):
    """Add twice the area, and six times its first moments, of a polygon seen from above."""
    for j in range(1, n - 1):
        x0, y0, x1, y1, x2, y2 = a[0, 0], a[0, 1], a[j, 0], a[j, 1], a[j + 1, 0], a[j + 1, 1]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        sums[0] += area
        sums[1] += area * (x0 + x1 + x2)
        sums[2] += area * (y0 + y1 + y2)


@device
def add_clipped(a: Ref[f64, 3, 3], dz: f64, prisms: Mut[f64, 4], columns: Mut[f64, 3]):
    """Add what of a triangle lies within the walls: below the top to `prisms`, above it to `columns` up to the top."""
    leave, enter = local(f64, 3, fill=0.0), local(f64, 3, fill=0.0)
    d3, d4, d5 = local(f64, 3, fill=0.0), local(f64, 4, fill=0.0), local(f64, 5, fill=0.0)
    d6, d7 = local(f64, 6, fill=0.0), local(f64, 7, fill=0.0)
    if cut(a, 1, -1.0, 1.0, d3, leave, enter):
        p4 = local(f64, 4, 3, fill=0.0)
        keep(a, d3, 1.0, leave, enter, p4)
        if cut(p4, 1, 1.0, 0.0, d4, leave, enter):
            p5 = local(f64, 5, 3, fill=0.0)
            keep(p4, d4, 1.0, leave, enter, p5)
            if cut(p5, 0, -1.0, 1.0, d5, leave, enter):
                p6 = local(f64, 6, 3, fill=0.0)
                keep(p5, d5, 1.0, leave, enter, p6)
                if cut(p6, 0, 1.0, 0.0, d6, leave, enter):
                    p7, p8 = local(f64, 7, 3, fill=0.0), local(f64, 8, 3, fill=0.0)
                    keep(p6, d6, 1.0, leave, enter, p7)
                    above = cut(p7, 2, 1.0, -dz, d7, leave, enter)
                    if above:
                        keep(p7, d7, 1.0, leave, enter, p8)
                        add_area(p8, columns)
                    if crosses(d7):
                        d8, p9 = local(f64, 8, fill=0.0), local(f64, 9, 3, fill=0.0)
                        keep(p7, d7, -1.0, enter, leave, p8)
                        if cut(p8, 2, 1.0, 0.0, d8, leave, enter):
                            keep(p8, d8, 1.0, leave, enter, p9)
                            add_prisms(p9, prisms)


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
        xscale, yscale = 1.0 / dx, 1.0 / dy
        corner = local(f64, 8, 3)
        for c in range(8):
            node = corners[donor[i], c]
            corner[c, 0] = (x[node] - xlow) * xscale
            corner[c, 1] = (y[node] - ylow) * yscale
            corner[c, 2] = z[node] - zlow
        prisms, columns, t = local(f64, 4, fill=0.0), local(f64, 3, fill=0.0), local(f64, 3, 3, fill=0.0)
        # What needs no clipping is done at once. The others are listed, so that threads side by side clip together.
        listed = local(i32, TRIANGLES, fill=0)
        clipped = 0
        for number in range(TRIANGLES):
            triangle(corner, number, t)
            some, all_ = 0, 63
            for v in range(3):
                where = LEFT if t[v, 0] < 0.0 else RIGHT if t[v, 0] >= 1.0 else 0
                where |= FRONT if t[v, 1] < 0.0 else BACK if t[v, 1] >= 1.0 else 0
                where |= BELOW if t[v, 2] < 0.0 else ABOVE if t[v, 2] >= dz else 0
                some |= where
                all_ &= where
            if some == 0:
                add_prisms(t, prisms)
            elif all_ == ABOVE and some == ABOVE:
                add_area(t, columns)
            elif all_ & (ABOVE - 1) == 0:
                listed[clipped] = i32(number)
                clipped += 1
        for at in range(clipped):
            triangle(corner, i64(listed[at]), t)
            add_clipped(t, dz, prisms, columns)
        volume = (prisms[0] / 6.0 + columns[0] * 0.5 * dz) * dx * dy
        records[i, 0] = volume
        records[i, 1] = xlow * volume + (prisms[1] / 24.0 + columns[1] / 6.0 * dz) * dx * dx * dy
        records[i, 2] = ylow * volume + (prisms[2] / 24.0 + columns[2] / 6.0 * dz) * dx * dy * dy
        records[i, 3] = zlow * volume + (prisms[3] / 48.0 + columns[0] * 0.25 * dz * dz) * dx * dy


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
    work_differs="RAJAPerf leaves the planes out, and takes 3,600 operations for every record; how many triangles a "
    "record clips, and by how many planes, depends on the data (1,704 operations at the smallest size)",
)  # fmt: skip
