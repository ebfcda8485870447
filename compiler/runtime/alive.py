"""Device memory that owned arrays hold, with the lines that made them."""

from __future__ import annotations

import atexit
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

from .residence import HOST

if TYPE_CHECKING:
    from .buffers import OwnedArray

arrays: WeakSet[OwnedArray] = WeakSet()
REPORT = "KPARITY_REPORT_ALIVE"


_PACKAGE = str(Path(__file__).parent.parent)


def caller() -> str:
    """Return where the user's code called, as `file:line`."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


@dataclass(frozen=True, slots=True)
class Alive:
    """An owned array with memory on a device.

    Attributes
    ----------
    array : str
        Its type and shape.
    places : tuple of str
        The devices.
    bytes : int
        On all of them.
    made_at : str
        `file:line` that made it.
    """

    array: str
    places: tuple[str, ...]
    bytes: int
    made_at: str

    def __str__(self) -> str:
        return f"{self.bytes:,} bytes on {' and '.join(self.places)}: {self.array}, made at {self.made_at}"


def alive() -> list[Alive]:
    """Return the owned arrays that hold memory of a device now, in the order in which they were made."""
    found = []
    for owned in sorted(arrays, key=lambda a: a.identity):
        places = tuple(sorted(p for p in owned.held if p != HOST))
        if places:
            array = f"{owned.dtype}{list(owned.shape)}"
            found.append(Alive(array, places, owned.nbytes * len(places), owned.made_at))
    return found


def _report() -> None:
    for one in alive():
        print(f"kparity: alive at exit: {one}", file=sys.stderr)


if os.environ.get(REPORT):
    atexit.register(_report)
