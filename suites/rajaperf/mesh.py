"""The structured 3-D mesh of RAJAPerf's mesh kernels (`ADomain`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .extents import cube_side

GHOSTS = 3  # layers of ghost nodes in each direction: two below the real nodes, one above


@dataclass(frozen=True, slots=True)
class Mesh3D:
    """A box of nodes, i fastest: node (i, j, k) has the flat index i + j jp + k kp, and so has the zone above it.

    Attributes
    ----------
    real : int
        Real nodes in each direction.
    """

    real: int

    @staticmethod
    def of_size(size: int) -> Mesh3D:
        """Return the mesh with about `size` real zones."""
        return Mesh3D(cube_side(size, boundary=1))

    @property
    def line(self) -> int:
        """Nodes of one line, ghosts included."""
        return self.real + GHOSTS

    @property
    def jp(self) -> int:
        """Flat distance of neighbours in direction j."""
        return self.line

    @property
    def kp(self) -> int:
        """Flat distance of neighbours in direction k."""
        return self.line**2

    @property
    def nodes(self) -> int:
        """Nodes of the mesh, ghosts included."""
        return self.line**3

    @property
    def zones(self) -> int:
        """Real zones: RAJAPerf's problem size."""
        return (self.real - 1) ** 3

    @property
    def fpz(self) -> int:
        """First zone of the flat range that kernels without a zone list work on, a ghost zone."""
        return 1 + self.jp + self.kp

    @property
    def lpz(self) -> int:
        """Last zone of that range."""
        return (self.real + 1) * (1 + self.jp + self.kp)

    def place(
        self,
        x: npt.NDArray[np.float64],
        y: npt.NDArray[np.float64],
        z: npt.NDArray[np.float64],
        spacing: tuple[float, float, float],
    ) -> None:
        """Set node positions to a regular grid, ghosts included.

        Parameters
        ----------
        x, y, z : (nodes,) float64
            Overwritten.
        spacing : tuple of float
            Distance of neighbours along i, j, k.
        """
        index = np.arange(self.line, dtype=np.float64)
        for axis, (coordinate, step) in enumerate(zip((z, y, x), reversed(spacing), strict=True)):
            shape = [1, 1, 1]
            shape[axis] = self.line
            coordinate.reshape(3 * (self.line,))[:] = (index * step).reshape(shape)
