"""The structured meshes of RAJAPerf's mesh kernels (`ADomain`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from .extents import cube_side, square_side

GHOSTS = 3  # layers of ghost nodes in each direction: two below the real nodes, one above
BELOW = 2


@dataclass(frozen=True, slots=True)
class _Mesh:
    """A box of nodes, i fastest: node (i, j, k) has the flat index i + j jp + k kp, and so has the zone above it.

    Attributes
    ----------
    real : int
        Real nodes in each direction.
    """

    real: int
    rank: ClassVar[int]

    @property
    def line(self) -> int:
        """Nodes of one line, ghosts included."""
        return self.real + GHOSTS

    @property
    def jp(self) -> int:
        """Flat distance of neighbours in direction j."""
        return self.line

    @property
    def nodes(self) -> int:
        """Nodes of the mesh, ghosts included."""
        return int(self.line**self.rank)

    @property
    def real_nodes(self) -> int:
        """Corners of the real zones."""
        return int(self.real**self.rank)

    @property
    def zones(self) -> int:
        """Real zones: RAJAPerf's problem size."""
        return int((self.real - 1) ** self.rank)

    @property
    def fpz(self) -> int:
        """First zone of the flat range that kernels without a zone list work on, a ghost zone."""
        return sum(self.line**axis for axis in range(self.rank))

    @property
    def lpz(self) -> int:
        """Last zone of that range."""
        return (self.real + 1) * self.fpz

    def zone_list(self) -> npt.NDArray[np.int64]:
        """Return the flat indices of the real zones, ascending; (zones,) int64."""
        numbers = np.arange(self.nodes, dtype=np.int64).reshape(self.rank * (self.line,))
        inside = slice(BELOW, BELOW + self.real - 1)
        return np.ascontiguousarray(numbers[self.rank * (inside,)].reshape(-1))

    def place(self, *coordinates: npt.NDArray[np.float64], spacing: tuple[float, ...]) -> None:
        """Set node positions to a regular grid, ghosts included.

        Parameters
        ----------
        *coordinates : (nodes,) float64
            Along i, j, ...; overwritten.
        spacing : tuple of float
            Distance of neighbours along i, j, ...
        """
        index = np.arange(self.line, dtype=np.float64)
        for axis, (coordinate, step) in enumerate(zip(reversed(coordinates), reversed(spacing), strict=True)):
            shape = [1] * self.rank
            shape[axis] = self.line
            coordinate.reshape(self.rank * (self.line,))[:] = (index * step).reshape(shape)


class Mesh2D(_Mesh):
    """A rectangle of nodes."""

    rank = 2

    @staticmethod
    def of_size(size: int) -> Mesh2D:
        """Return the mesh with about `size` real zones."""
        return Mesh2D(square_side(size, boundary=1))


class Mesh3D(_Mesh):
    """A box of nodes."""

    rank = 3

    @staticmethod
    def of_size(size: int) -> Mesh3D:
        """Return the mesh with about `size` real zones."""
        return Mesh3D(cube_side(size, boundary=1))

    @property
    def kp(self) -> int:
        """Flat distance of neighbours in direction k."""
        return self.line**2
