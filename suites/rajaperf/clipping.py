"""Convex polygons clipped by half-spaces, for the INTSC kernels: without an index that only the data know.

A polygon has a fixed number of slots for its vertices, and what a half-space keeps of it has one more. Vertices may
stand in several slots, one after the other; they span no area. All indices are constants once the loops are taken
apart, so that a polygon is in registers.
"""

from kparity.compiler import Mut, Ref, device, f64, local


@device
def crosses(distance: Ref[f64, "n"]):
    """Return whether anything is outside of a plane."""
    some = distance[0] < 0.0
    for i in range(1, n):
        some = some or distance[i] < 0.0
    return some


@device
def crossings(a: Ref[f64, "n", 3], distance: Ref[f64, "n"], leave: Mut[f64, 3], enter: Mut[f64, 3]):
    """Find where a polygon's boundary crosses a plane, given each slot's distance from it, inside positive.

    Returns whether anything of the polygon is inside.
    """
    some = distance[0] >= 0.0
    for i in range(1, n):
        some = some or distance[i] >= 0.0
    if some and crosses(distance):
        ends, far = local(f64, 4, 3, fill=0.0), local(f64, 4, fill=0.0)
        far[0], far[3] = 1.0, 1.0
        for i in range(n):
            h = (i + n - 1) % n
            here, before = distance[i], distance[h]
            leaves = before >= 0.0 and here < 0.0
            enters = before < 0.0 and here >= 0.0
            f0, f1, f2, f3 = far[0], far[1], far[2], far[3]
            far[0], far[1] = before if leaves else f0, here if leaves else f1
            far[2], far[3] = before if enters else f2, here if enters else f3
            for c in range(3):
                p, q = a[h, c], a[i, c]
                e0, e1, e2, e3 = ends[0, c], ends[1, c], ends[2, c], ends[3, c]
                ends[0, c], ends[1, c] = p if leaves else e0, q if leaves else e1
                ends[2, c], ends[3, c] = p if enters else e2, q if enters else e3
        out, back = far[0] / (far[0] - far[1]), far[2] / (far[2] - far[3])
        for c in range(3):
            leave[c] = ends[0, c] + out * (ends[1, c] - ends[0, c])
            enter[c] = ends[2, c] + back * (ends[3, c] - ends[2, c])
    return some


@device
def keep(
    a: Ref[f64, "n", 3], distance: Ref[f64, "n"], sign: f64, leave: Ref[f64, 3], enter: Ref[f64, 3],
    b: Mut[f64, "m", 3],
):  # fmt: skip
    """Fill `b`, of one slot more, with what of `a` is inside: `sign` times the distance not negative.

    Behind a vertex inside, the first outside becomes the crossing out, all others the one back in. If there is only one
    outside, those behind it move on by a slot.
    """
    pushed = local(f64, 3, fill=0.0)
    for c in range(3):
        pushed[c] = enter[c]
    moves = False
    for i in range(n):
        inside = sign * distance[i] >= 0.0
        before = sign * distance[(i + n - 1) % n] >= 0.0
        after = sign * distance[(i + 1) % n] >= 0.0
        leaves = before and not inside
        alone = leaves and after
        for c in range(3):
            v, out, back, late = a[i, c], leave[c], enter[c], pushed[c]
            kept = v if inside else out if leaves else back
            b[i, c] = late if moves else kept
            pushed[c] = back if alone else kept
        moves = moves or alone
    for c in range(3):
        b[n, c] = pushed[c]


@device
def add_prisms(a: Ref[f64, "n", 3], sums: Mut[f64, 4]):
    """Add six times the volume, and 24 times the first moments (48 times in z), between a polygon and z = 0."""
    for j in range(1, n - 1):
        x0, y0, z0 = a[0, 0], a[0, 1], a[0, 2]
        x1, y1, z1 = a[j, 0], a[j, 1], a[j, 2]
        x2, y2, z2 = a[j + 1, 0], a[j + 1, 1], a[j + 1, 2]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        height = z0 + z1 + z2
        sums[0] += area * height
        sums[1] += area * (height * (x0 + x1 + x2) + (x0 * z0 + x1 * z1 + x2 * z2))
        sums[2] += area * (height * (y0 + y1 + y2) + (y0 * z0 + y1 * z1 + y2 * z2))
        sums[3] += area * (height * height + z0 * z0 + z1 * z1 + z2 * z2)
