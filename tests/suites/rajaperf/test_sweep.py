"""The sweep's mesh and schedules: all that a kernel relies on, and what RAJAPerf's have."""

import numpy as np
import pytest

from kparity.suites.rajaperf.sweep import ANGLES, sweep

SIDES = pytest.mark.parametrize("n", [1, 2, 3, 4, 5])


@SIDES
def test_each_face_has_its_number_and_two_sides(n: int):
    mesh = sweep(n)
    numbers, times = np.unique(mesh.faces, return_counts=True)
    interior = 3 * (n - 1) * n**2
    assert mesh.dofs.shape == (interior, 2, 4)
    assert numbers.tolist() == list(range(-6 * n**2, interior))  # boundary faces count down from -1
    assert set(times[numbers < 0]) == {1} and set(times[numbers >= 0]) <= {2}
    assert (np.diff(mesh.dofs, axis=2) > 0).all() and (mesh.dofs[:, 0] // 8 < mesh.dofs[:, 1] // 8).all()
    met = mesh.faces[mesh.faces >= 0]
    assert list(dict.fromkeys(met.tolist())) == list(range(interior))  # numbered as first met


@SIDES
def test_planes_hold_every_element_once_and_wait_for_what_flows_in(n: int):
    mesh = sweep(n)
    assert (mesh.planes == 3 * n - 2).all()
    assert (np.sort(mesh.order, axis=1) == np.arange(n**3)).all()
    for angle in range(ANGLES):
        start, order = mesh.start[angle], mesh.order[angle]
        assert start[0] == 0 and start[-1] == n**3 and (np.diff(start) > 0).all()
        plane = np.empty(n**3, int)
        plane[order] = np.repeat(np.arange(len(start) - 1), np.diff(start))
        element, face = np.nonzero(mesh.inflow[angle])
        side = mesh.inflow[angle, element, face]
        number = mesh.faces[element, face]
        assert (mesh.dofs[number, side - 1, 0] // 8 == element).all()
        assert (plane[mesh.dofs[number, 2 - side, 0] // 8] < plane[element]).all()
        first = order[: start[1]]
        assert (np.sort(first) == first).all()


@pytest.mark.parametrize(("n", "jumps"), [(2, 0), (4, 0), (8, 0), (5, 4)])
def test_neighbours_in_number_are_neighbours_in_space(n: int, jumps: int):
    mesh = sweep(n)
    shared = [set(a[a >= 0]) & set(b[b >= 0]) for a, b in zip(mesh.faces, mesh.faces[1:], strict=False)]
    assert sum(not faces for faces in shared) == jumps


def test_an_interior_face_lets_in_one_of_its_sides():
    mesh = sweep(3)
    for inflow in mesh.inflow:
        into = mesh.faces[inflow > 0]
        assert sorted(into.tolist()) == list(range(len(mesh.dofs)))
