"""The RAJA Performance Suite: its initial data, checksum, published results, and one kernel file a kernel.

Source: RAJAPerf, develop 4837fb88 (the tree of the v2025.12.1 release candidate), BSD-3-Clause. Kernels are found by
their files, `<group>/<kernel>.py`; nothing lists them.
"""

from .bins import bin_numbers
from .checksum import LOOSE, NORMAL, TIGHT, ZERO
from .extents import cube_side, square_side
from .fills import Fill
from .mesh import Mesh2D, Mesh3D
from .published import expected_checksum

__all__ = [
    "LOOSE",
    "NORMAL",
    "TIGHT",
    "ZERO",
    "Fill",
    "Mesh2D",
    "Mesh3D",
    "bin_numbers",
    "cube_side",
    "expected_checksum",
    "square_side",
]
