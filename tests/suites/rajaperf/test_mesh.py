"""The structured mesh of the mesh kernels."""

import numpy as np

from kparity.suites.rajaperf import Mesh3D


def test_extents_of_the_default_size():
    mesh = Mesh3D.of_size(1_000_000)
    assert (mesh.real, mesh.line, mesh.jp, mesh.kp) == (101, 104, 104, 104**2)
    assert (mesh.nodes, mesh.zones) == (104**3, 1_000_000)
    assert (mesh.fpz, mesh.lpz) == (10_921, 1_113_942)


def test_the_last_corner_of_the_last_zone_is_the_last_node():
    for size in (1, 1000, 12_345):
        mesh = Mesh3D.of_size(size)
        assert mesh.lpz + 1 + mesh.jp + mesh.kp == mesh.nodes - 1


def test_positions():
    mesh = Mesh3D.of_size(30)
    x, y, z = np.zeros(mesh.nodes), np.zeros(mesh.nodes), np.zeros(mesh.nodes)
    mesh.place(x, y, z, spacing=(0.3, 0.2, 0.1))
    for i, j, k in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (3, 2, 4), (mesh.line - 1,) * 3):
        node = i + j * mesh.jp + k * mesh.kp
        assert (x[node], y[node], z[node]) == (i * 0.3, j * 0.2, k * 0.1)
