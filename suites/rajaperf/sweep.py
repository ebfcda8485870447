"""The mesh, directions and schedules of RAJAPerf's transport sweep.

A cube of n x n x n hexahedra, numbered along a generalised Hilbert curve, and 72 directions. In each direction an
element depends on its neighbours upwind; those of one plane depend on earlier planes only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

POLAR, AZIMUTHAL = 6, 12  # directions: nodes of cos(theta), and of phi
ANGLES = POLAR * AZIMUTHAL
TINY = 1e-10  # a face is along a direction, or against it, if their product exceeds this
# Faces of a hexahedron by axis and side: low z, low y, high x, high y, low x, high z
AXIS, SIDE = (2, 1, 0, 1, 0, 2), (0, 0, 1, 1, 0, 1)

Integers = npt.NDArray[np.int32]
Vector = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a sweep reads of its mesh.

    Attributes
    ----------
    planes : (ANGLES,) int32
        Number of planes in each direction.
    start : (ANGLES, most planes + 1) int32
        Where each plane begins in `order`; the last one ends where the next would begin.
    order : (ANGLES, elements) int32
        The elements, plane by plane.
    inflow : (ANGLES, elements, 6) int32
        Of each face: 0 if nothing flows in, else which of the face's sides the element is, 1 or 2.
    faces : (elements, 6) int32
        Number of each face: interior ones from 0 in the order in which they are first met, the others below 0.
    dofs : (interior faces, 2, 4) int32
        The corners of a face as each of its sides numbers them: 8 times the element, and which of its corners.
    """

    planes: Integers
    start: Integers
    order: Integers
    inflow: Integers
    faces: Integers
    dofs: Integers


def sweep(n: int) -> Sweep:
    """Return the mesh of n x n x n elements with its schedules."""
    cells = np.array(list(_curve(np.zeros(3, int), *(n * np.eye(3, dtype=int)))))
    number = np.empty((n, n, n), int)
    number[tuple(cells.T)] = np.arange(len(cells))
    neighbours = np.full((len(cells), 6), -1)
    for face, (axis, side) in enumerate(zip(AXIS, SIDE, strict=True)):
        beyond = cells.copy()
        beyond[:, axis] += 1 if side else -1
        inside = (beyond[:, axis] >= 0) & (beyond[:, axis] < n)
        neighbours[inside, face] = number[tuple(beyond[inside].T)]
    faces, dofs, is_first = _faces(neighbours)
    directions = _directions()
    inflow = np.zeros((ANGLES, *faces.shape), int)
    for face, (axis, side) in enumerate(zip(AXIS, SIDE, strict=True)):
        along = directions[:, axis, None] * (1 if side else -1)  # out of the element
        mine = np.where(is_first[:, face], along <= TINY, -along > TINY)
        inflow[:, :, face] = np.where(mine & (neighbours[:, face] >= 0), 2 - is_first[:, face], 0)
    schedules: dict[bytes, tuple[list[int], list[int]]] = {}
    for flow in inflow:
        if flow.tobytes() not in schedules:
            schedules[flow.tobytes()] = _schedule(flow > 0, neighbours)
    found = [schedules[flow.tobytes()] for flow in inflow]
    planes = np.array([len(start) - 1 for start, _ in found])
    start = np.array([s + [len(cells)] * (max(planes) + 1 - len(s)) for s, _ in found])
    order = np.array([o for _, o in found])
    return Sweep(*(a.astype(np.int32) for a in (planes, start, order, inflow, faces, dofs)))


def _curve(corner: Vector, a: Vector, b: Vector, c: Vector) -> Iterator[Vector]:
    """Yield the cells of a box from `corner`, along its main edge `a`, with few exceptions each next to the one before.

    A generalised Hilbert curve: the box is cut in two, three or five, halves as even as they can be.
    """
    edges = (a, b, c)
    lengths = [int(np.abs(e).sum()) for e in edges]
    along = [np.sign(e) for e in edges]
    if sorted(lengths)[1] == 1:
        main = int(np.argmax(lengths))
        yield from (corner + k * along[main] for k in range(lengths[main]))
        return
    w, h, d = lengths
    a2, b2, c2 = (
        step * (size // 2 + (size // 2 % 2 if size > 2 else 0)) for step, size in zip(along, lengths, strict=True)
    )
    da, db, dc = along
    if 2 * w > 3 * h and 2 * w > 3 * d:
        parts = [(corner, a2, b, c), (corner + a2, a - a2, b, c)]
    elif 3 * h > 4 * d:
        parts = [(corner, b2, c, a2), (corner + b2, a, b - b2, c), (corner + a - da + b2 - db, -b2, c, a2 - a)]
    elif 3 * d > 4 * h:
        parts = [(corner, c2, a2, b), (corner + c2, a, b, c - c2), (corner + a - da + c2 - dc, -c2, a2 - a, b)]
    else:
        parts = [
            (corner, b2, c2, a2),
            (corner + b2, c, a2, b - b2),
            (corner + b2 - db + c - dc, a, -b2, c2 - c),
            (corner + a - da + b2 + c - dc, -c, a2 - a, b - b2),
            (corner + a - da + b2 - db, -b2, c2, a2 - a),
        ]
    for part in parts:
        yield from _curve(*part)


def _faces(neighbours: Vector) -> tuple[Vector, Vector, npt.NDArray[np.bool_]]:
    """Return the numbers of faces, the corners of interior ones, and whether an element is a face's first side."""
    faces = np.zeros(neighbours.shape, int)
    is_first = np.ones(neighbours.shape, bool)
    dofs: list[list[list[int]]] = []
    boundary = 0
    for e, row in enumerate(neighbours.tolist()):
        for face, other in enumerate(row):
            if other < 0:
                boundary += 1
                faces[e, face] = -boundary
            elif other > e:
                opposite = next(f for f in range(6) if AXIS[f] == AXIS[face] and f != face)
                faces[e, face] = faces[other, opposite] = len(dofs)
                is_first[other, opposite] = False
                dofs.append([_corners(e, face), _corners(other, opposite)])
    return faces, np.array(dofs, int).reshape(-1, 2, 4), is_first


def _corners(element: int, face: int) -> list[int]:
    return [8 * element + corner for corner in range(8) if corner >> AXIS[face] & 1 == SIDE[face]]


def _directions() -> npt.NDArray[np.float64]:
    """Return unit vectors: the azimuths of one polar angle after the other."""
    cosine = np.repeat(np.polynomial.legendre.leggauss(POLAR)[0], AZIMUTHAL)
    sine = np.sqrt(1.0 - cosine**2)
    phi = np.tile(-np.pi / 12 + np.pi / 6 * np.arange(1, AZIMUTHAL + 1), POLAR)
    return np.stack([sine * np.cos(phi), sine * np.sin(phi), cosine], axis=1)


def _schedule(flows_in: npt.NDArray[np.bool_], neighbours: Vector) -> tuple[list[int], list[int]]:
    """Return where planes begin, and the elements in the order in which what flows into them is known."""
    waits = flows_in.sum(axis=1).tolist()
    leaving = [[o for o, into in zip(row, flow, strict=True) if o >= 0 and not into]
               for row, flow in zip(neighbours.tolist(), flows_in.tolist(), strict=True)]  # fmt: skip
    order, start = [e for e, count in enumerate(waits) if count == 0], [0]
    while start[-1] < len(order):
        plane = order[start[-1] :]
        start.append(len(order))
        for e in plane:
            for other in leaving[e]:
                waits[other] -= 1
                if waits[other] == 0:
                    order.append(other)
    return start, order
