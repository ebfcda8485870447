"""The halo of a cube of cells: where its 26 neighbours' messages come from, and where they go.

Source: RAJAPerf src/comm/HALO_base.{hpp,cpp}.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kparity.compiler import world

from .extents import cube_side
from .fills import Fill

VARIABLES = 3
WIDTH = 1
_ALIGNMENT = 8  # doubles: messages start at multiples of 64 bytes

FACES = ((-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1))
EDGES = (
    (-1, -1, 0), (-1, 1, 0), (1, -1, 0), (1, 1, 0), (-1, 0, -1), (-1, 0, 1), (1, 0, -1), (1, 0, 1),
    (0, -1, -1), (0, -1, 1), (0, 1, -1), (0, 1, 1),
)  # fmt: skip
CORNERS = tuple((x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))
OFFSETS = (*FACES, *EDGES, *CORNERS)
"""Each neighbour's place relative to the cube, as (x, y, z)."""

NEIGHBOURS = len(OFFSETS)
OPPOSITE = tuple(OFFSETS.index((-x, -y, -z)) for x, y, z in OFFSETS)
"""The neighbour on the other side of each."""

Doubles = npt.NDArray[np.float64]
Region = tuple[slice, slice, slice]


@dataclass(frozen=True, slots=True)
class Halo:
    """A cube of `side`^3 cells with a layer of `WIDTH` cells around it, x the fastest index.

    Attributes
    ----------
    side : int
        Cells of the cube itself, in each direction.
    """

    side: int

    @classmethod
    def of_size(cls, size: int) -> Halo:
        """Return the cube that RAJAPerf makes of a requested number of cells."""
        return cls(cube_side(size))

    @classmethod
    def around(cls, variable: Doubles) -> Halo:
        """Return the cube that a variable, halo included, is stored for."""
        return cls(round(variable.size ** (1 / 3)) - 2 * WIDTH)

    @property
    def cells(self) -> int:
        """Cells of the cube."""
        return self.side**3

    @property
    def shape(self) -> tuple[int, int, int]:
        """Cells in z, y and x, halo included."""
        return (self.side + 2 * WIDTH,) * 3

    @property
    def longest(self) -> int:
        """Cells of the largest neighbour's part, a face."""
        return WIDTH * self.side**2

    @property
    def message_cells(self) -> int:
        """Cells of all neighbours together, for one variable."""
        return (self.side + 2 * WIDTH) ** 3 - self.cells

    def sent(self, neighbour: int) -> Region:
        """Return the cells of the cube that a neighbour needs."""
        low, high = slice(WIDTH, 2 * WIDTH), slice(self.side, self.side + WIDTH)
        return self._region(neighbour, {-1: low, 0: slice(WIDTH, WIDTH + self.side), 1: high})

    def received(self, neighbour: int) -> Region:
        """Return the cells of the halo that a neighbour fills."""
        low, high = slice(0, WIDTH), slice(WIDTH + self.side, 2 * WIDTH + self.side)
        return self._region(neighbour, {-1: low, 0: slice(WIDTH, WIDTH + self.side), 1: high})

    @staticmethod
    def _region(neighbour: int, ranges: dict[int, slice]) -> Region:
        x, y, z = OFFSETS[neighbour]
        return ranges[z], ranges[y], ranges[x]

    def list_of(self, region: Region) -> npt.NDArray[np.int32]:
        """Return the flat indices of a region's cells, ascending."""
        numbers = np.arange(np.prod(self.shape), dtype=np.int32).reshape(self.shape)
        return numbers[region].ravel()

    def buffers(self, make: Callable[[int], Doubles]) -> list[Doubles]:
        """Return a message of (variables, cells) for each neighbour, out of one allocation."""
        sizes = [VARIABLES * self.list_of(self.sent(k)).size for k in range(NEIGHBOURS)]
        starts = np.cumsum([0, *(-(-size // _ALIGNMENT) * _ALIGNMENT for size in sizes)])
        whole = make(int(starts[-1]))
        return [
            whole[first : first + size].reshape(VARIABLES, -1) for first, size in zip(starts, sizes, strict=False)
        ]  # fmt: skip


def halo_data(halo: Halo, fill: Fill) -> dict[str, Any]:
    """Return variables, lists of the cells sent and received, and both sides' messages, in RAJAPerf's order."""
    pairs = [
        (fill.indices(halo.list_of(halo.sent(k))), fill.indices(halo.list_of(halo.received(k))))
        for k in range(NEIGHBOURS)
    ]
    send, recv = halo.buffers(fill.ramp), halo.buffers(fill.ramp)
    cells = int(np.prod(halo.shape))
    return {
        "variables": [np.arange(cells, dtype=np.float64) + v for v in range(VARIABLES)],
        "sent": [sent for sent, _ in pairs], "received": [received for _, received in pairs],
        "send": send, "recv": recv,
    }  # fmt: skip


def random_halo(halo: Halo, rng: np.random.Generator) -> dict[str, Any]:
    """Return the same with noise in variables and messages."""
    data = halo_data(halo, Fill())
    noise = {n: [rng.uniform(-1.0, 1.0, a.shape) for a in data[n]] for n in ("variables", "send", "recv")}
    return {**data, **noise}


def pack(variables: list[Doubles], send: list[Doubles]) -> None:
    """Copy what each neighbour needs into its message."""
    halo = Halo.around(variables[0])
    for v, variable in enumerate(variables):
        for neighbour, message in enumerate(send):
            message[v] = variable.reshape(halo.shape)[halo.sent(neighbour)].ravel()


def unpack(variables: list[Doubles], recv: list[Doubles]) -> None:
    """Copy each neighbour's message into the halo."""
    halo = Halo.around(variables[0])
    for v, variable in enumerate(variables):
        for neighbour, message in enumerate(recv):
            region = variable.reshape(halo.shape)[halo.received(neighbour)]
            region[...] = message[v].reshape(region.shape)


def exchange(send: list[Doubles], recv: list[Doubles]) -> None:
    """Fill the messages received as a single process does: its neighbour on every side is itself."""
    for message, opposite in zip(recv, OPPOSITE, strict=True):
        message[...] = send[opposite]


def neighbours(rank: int, size: int) -> npt.NDArray[np.int32]:
    """Return the process of each neighbour in a periodic grid of processes, x the fastest index."""
    grid = division(size)
    place = (rank % grid[0], rank // grid[0] % grid[1], rank // (grid[0] * grid[1]))
    near = [[(p + o) % g for p, o, g in zip(place, offset, grid, strict=True)] for offset in OFFSETS]
    return np.array([x + grid[0] * (y + grid[1] * z) for x, y, z in near], np.int32)


def division(size: int) -> tuple[int, int, int]:
    """Return the sides of the grid of processes, the largest last: as near to a cube as their number allows."""
    sides = [(a, b, size // (a * b)) for a in range(1, size + 1) for b in range(a, size + 1) if size % (a * b) == 0]
    return min((s for s in sides if s[2] >= s[1]), key=lambda s: s[2] - s[0])


def addresses() -> dict[str, npt.NDArray[np.int32]]:
    """Return where this process's messages go, and which of the neighbour's messages each one received is."""
    return {"ranks": neighbours(*world()), "tags": np.array(OPPOSITE, np.int32)}
