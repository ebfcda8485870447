"""INTSC_HEXHEX: volume and first moments of the intersections of pairs of hexahedra.

Source: RAJAPerf src/apps/INTSC_HEXHEX.{hpp,cpp} and its helpers. The surface of the donor is twelve triangles, the
target six tetrahedra about its diagonal: 72 contributions a pair. Each takes its triangle to the frame where the
tetrahedron is the unit one, clips it, and sums the prisms between it and z = 0, what lies beyond the slanted face
projected onto it. A team has a thread for each contribution of four pairs, 288 of them, and sums them pair by pair.
RAJAPerf's blocks have 64 threads, so that pairs span blocks, and a second kernel adds their parts.
"""

import numpy as np

from kparity.compiler import (
    Mut,
    Out,
    Ref,
    device,
    f64,
    kernel,
    local,
    require,
    shared,
    teams,
    threads,
)
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, cube_side
from kparity.suites.rajaperf.clipping import add_prisms, crosses, crossings, keep

PARTS = 72  # contributions of a pair
TEAM = 4  # pairs of a team: 288 threads are nine whole warps
TRIANGLES = 0o1326451  # the corners around the diagonal 0-7, as the triangles take them; the first is the lowest digit
TETRAHEDRA = 0o546231  # and as the tetrahedra do
TINY = 1e-100  # keeps a flat tetrahedron's reciprocal finite
FLOPS = 3_024_000_000 // 125_000  # of a pair, as RAJAPerf counts them
PAIRS = 8  # in each direction of a standard intersection: two


@device
def add_clipped(a: Ref[f64, 3, 3], sums: Mut[f64, 4]):
    """Add what of a triangle the unit tetrahedron's frame keeps, as prisms down to z = 0."""
    leave, enter = local(f64, 3, fill=0.0), local(f64, 3, fill=0.0)
    d3, d4, d5 = local(f64, 3, fill=0.0), local(f64, 4, fill=0.0), local(f64, 5, fill=0.0)
    d6, d7 = local(f64, 6, fill=0.0), local(f64, 7, fill=0.0)
    for i in range(3):
        d3[i] = 1.0 - a[i, 0] - a[i, 1]
    if crossings(a, d3, leave, enter):
        p4 = local(f64, 4, 3, fill=0.0)
        keep(a, d3, 1.0, leave, enter, p4)
        for i in range(4):
            d4[i] = p4[i, 0]
        if crossings(p4, d4, leave, enter):
            p5 = local(f64, 5, 3, fill=0.0)
            keep(p4, d4, 1.0, leave, enter, p5)
            for i in range(5):
                d5[i] = p5[i, 1]
            if crossings(p5, d5, leave, enter):
                p6 = local(f64, 6, 3, fill=0.0)
                keep(p5, d5, 1.0, leave, enter, p6)
                for i in range(6):
                    d6[i] = p6[i, 2]
                if crossings(p6, d6, leave, enter):
                    p7, p8 = local(f64, 7, 3, fill=0.0), local(f64, 8, 3, fill=0.0)
                    keep(p6, d6, 1.0, leave, enter, p7)
                    for i in range(7):
                        d7[i] = 1.0 - p7[i, 0] - p7[i, 1] - p7[i, 2]
                    inside = crossings(p7, d7, leave, enter)
                    if inside:
                        keep(p7, d7, 1.0, leave, enter, p8)
                        add_prisms(p8, sums)
                    if crosses(d7):  # beyond the slanted face: projected onto it
                        keep(p7, d7, -1.0, enter, leave, p8)
                        for i in range(8):
                            p8[i, 2] = 1.0 - p8[i, 0] - p8[i, 1]
                        add_prisms(p8, sums)


@kernel
def intsc_hexhex(donor: Ref[f64, "pairs", 3, 8], target: Ref[f64, "pairs", 3, 8], vv: Out[f64, "pairs", 4]):
    require(pairs % TEAM == 0)
    for b in teams(pairs // TEAM):
        part = shared(f64, TEAM, PARTS, 4)
        for own, within in threads(TEAM, PARTS):
            pair = TEAM * b + own
            triangle, tetrahedron = within // 6, within % 6
            first = triangle if triangle < 6 else 12 - triangle
            second = triangle + 1 if triangle < 6 else 11 - triangle
            base = 0 if triangle < 6 else 7
            v1 = (TRIANGLES >> (3 * first)) & 7
            v2 = (TRIANGLES >> (3 * second)) & 7
            w1 = (TETRAHEDRA >> (3 * tetrahedron)) & 7
            w2 = (TETRAHEDRA >> (3 * ((tetrahedron + 1) % 6))) & 7
            edge = local(f64, 3, 3)
            for c in range(3):
                origin = target[pair, c, 0]
                edge[0, c] = target[pair, c, w1] - origin
                edge[1, c] = target[pair, c, w2] - origin
                edge[2, c] = target[pair, c, 7] - origin
            normal = local(f64, 3, 3)  # of the planes of two edges: what a vertex's coordinates are measured with
            for e in range(3):
                for c in range(3):
                    p, q, r, s = (e + 1) % 3, (e + 2) % 3, (c + 1) % 3, (c + 2) % 3
                    normal[e, c] = edge[p, r] * edge[q, s] - edge[p, s] * edge[q, r]
            det = edge[0, 0] * normal[0, 0] + edge[0, 1] * normal[0, 1] + edge[0, 2] * normal[0, 2]
            scale = det / (det * det + TINY)
            a = local(f64, 3, 3, fill=0.0)
            for v in range(3):
                corner = base if v == 0 else v1 if v == 1 else v2
                for e in range(3):
                    along = 0.0
                    for c in range(3):
                        along += (donor[pair, c, corner] - target[pair, c, 0]) * normal[e, c]
                    a[v, e] = along * scale
            sums = local(f64, 4, fill=0.0)
            add_clipped(a, sums)
            sums[3] *= 0.5
            volume = sums[0] / 6.0
            part[own, within, 0] = det * volume
            for c in range(3):
                moment = edge[0, c] * sums[1] + edge[1, c] * sums[2] + edge[2, c] * sums[3]
                part[own, within, c + 1] = det * (target[pair, c, 0] * volume + moment / 24.0)
        for own, c in threads(TEAM, 4):
            total = 0.0
            for within in range(PARTS):
                total += part[own, within, c]
            vv[TEAM * b + own, c] = total


def reference(donor: Array, target: Array, vv: Array) -> None:
    """Intersect boxes: in each direction the common part of two intervals."""
    low = np.maximum(donor.min(axis=2), target.min(axis=2))
    high = np.minimum(donor.max(axis=2), target.max(axis=2))
    vv[:, 0] = np.prod(np.maximum(high - low, 0.0), axis=1)
    vv[:, 1:] = vv[:, :1] * 0.5 * (low + high)


def pairs_of(size: int) -> int:
    return PAIRS * max(1, cube_side(size)) ** 3


def boxes(low: Array, high: Array) -> Array:
    """Return the corners, (pairs, 3, 8), of boxes whose ends have the shape (pairs, 3)."""
    bit = np.arange(8) >> np.arange(3)[:, None] & 1
    return np.where(bit == 0, low[:, :, None], high[:, :, None])


def arguments_of(donor: Array, target: Array) -> Arguments:
    return {"donor": donor, "target": target, "vv": np.zeros((len(donor), 4))}


def data(size: int, fill: Fill) -> Arguments:
    low = np.tile([-0.2, 0.1, -0.8], (pairs_of(size), 1))
    donor = boxes(low, low + 0.1)
    return arguments_of(donor, donor + 0.01)


def random(size: int, rng: np.random.Generator) -> Arguments:
    shape = (pairs_of(size), 3)
    low, length = rng.uniform(0.0, 0.5, (2, *shape)), rng.uniform(0.1, 0.6, (2, *shape))
    return arguments_of(boxes(low[0], low[0] + length[0]), boxes(low[1], low[1] + length[1]))


def work(size: int) -> Work:
    # RAJAPerf counts its second kernel, too: nine numbers of a pair are stored by the first, and read to be added.
    pairs = pairs_of(size)
    return Work(bytes_read=8 * (24 + 24 + 9) * pairs, bytes_written=8 * (9 + 4) * pairs, flops=FLOPS * pairs)


SPEC = Spec(
    "INTSC_HEXHEX", program=intsc_hexhex, reference=reference, data=data, random=random, size=15_625,
    repetitions=1, actual_size=lambda size: max(1, cube_side(size)) ** 3, checksum=("vv",), tolerance=NORMAL,
    features=("Forall",), work=work,
    work_differs="RAJAPerf's first kernel stores nine numbers of a pair, which a second one reads; and it takes 24,192 "
    "operations for every pair, where its own data need 23,132: how many depends on what is clipped",
)  # fmt: skip
